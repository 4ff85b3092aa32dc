/** The densities that come with the package: files beside the page, loaded when they are needed. */
import {
  GaussianizeError,
  decodeGuided,
  decodeModel,
  keptShelf,
  priorsAmong,
  requirePatchModel,
} from "../../../src/index.js";

const urls = import.meta.glob<string>("../../../priors/{gdn,guided}-*.safetensors", {
  query: "?url",
  import: "default",
  eager: true,
});

export const labPriors = keptShelf({
  list: (family) => Promise.resolve(priorsAmong(Object.keys(urls), family)),
  model: async (path) =>
    requirePatchModel(decodeModel(await bytesOf(path), fileName(path)), fileName(path)),
  guided: async (path) => decodeGuided(await bytesOf(path), fileName(path)).guided,
});

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function bytesOf(path: string): Promise<Uint8Array> {
  const problem = `The density ${fileName(path)} could not be loaded.`;
  const response = await fetch(urls[path]).catch((error: unknown) => {
    throw new GaussianizeError(problem, { cause: error });
  });
  if (!response.ok) throw new GaussianizeError(problem);
  return new Uint8Array(await response.arrayBuffer());
}
