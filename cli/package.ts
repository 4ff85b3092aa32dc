/** The installed package. It refers to itself by name, in cli/ and in dist/cli/ alike. */
import { createRequire } from "node:module";
import { dirname } from "node:path";

const require = createRequire(import.meta.url);

export function packageVersion(): string {
  return (require("gaussianize/package.json") as { version: string }).version;
}

export function packageFolder(): string {
  return dirname(require.resolve("gaussianize/package.json"));
}
