/**
 * Files that the page shares with the rest of the package: photographs and model files. dist/lab has
 * copies of them for static hosts, and `copies.json` says of what. The npm package leaves the copies
 * out, and the lab's server reads the originals.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { GaussianizeError } from "../../src/errors.js";

/** Returns the original of each copy: name below the folder of the page → path. */
export async function originalsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(folder, "copies.json"), "utf8").catch(() => "{}");
  const copies = Object.entries(JSON.parse(text) as Record<string, string>);
  return new Map(copies.map(([name, original]) => [name, find(original)]));
}

/** `original` is "./priors/gdn-25.safetensors", or a file of another package as modules name it. */
function find(original: string): string {
  const ours = createRequire(import.meta.url).resolve("gaussianize/package.json");
  try {
    return createRequire(ours).resolve(original);
  } catch (error) {
    throw new GaussianizeError(
      `Cannot find ${original}, which the lab shows. Install gaussianize again.`,
      { cause: error },
    );
  }
}
