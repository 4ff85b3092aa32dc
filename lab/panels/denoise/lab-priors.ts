/** The densities that come with the package: files beside the page, loaded when they are needed. */
import { decodeGuided } from "../../../src/denoising/guided/guided-file.js";
import { keptShelf, priorsAmong } from "../../../src/denoising/prior-shelf.js";
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import { requirePatchModel } from "../../../src/density/model-files/model.js";
import { fetchBytes } from "../../fetch-bytes.js";

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

function bytesOf(path: string): Promise<Uint8Array> {
  return fetchBytes(urls[path], `The density ${fileName(path)}`);
}
