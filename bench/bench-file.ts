import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns the path of a file in bench/ that is not compiled, from bench/ or from dist/bench/. */
export function benchFile(name: string): string {
  const path = [`./${name}`, `../../bench/${name}`]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`there is no bench/${name}`);
  return path;
}
