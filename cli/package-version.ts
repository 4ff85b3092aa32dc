import { createRequire } from "node:module";

export function packageVersion(): string {
  // The package refers to itself by name, which works from cli/ and from dist/cli/ alike.
  const require = createRequire(import.meta.url);
  return (require("gaussianize/package.json") as { version: string }).version;
}
