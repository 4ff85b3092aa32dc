/** The priors of the package, as files beside the page. */
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import { decodeGuided } from "../../../src/denoising/guided/guided-file.js";
import { type PriorShelf, keptShelf, priorsAmong } from "../../../src/denoising/prior-shelf.js";
import { requirePatchModel } from "../../../src/density/model-files/model.js";

const urls = import.meta.glob<string>("../../../priors/{gdn,guided}-*.safetensors", {
  query: "?url",
  import: "default",
  eager: true,
});

export const shelf: PriorShelf = keptShelf({
  list: (family) => Promise.resolve(priorsAmong(Object.keys(urls), family)),
  model: async (path) => requirePatchModel(decodeModel(await bytesOf(path), path), path),
  guided: async (path) => decodeGuided(await bytesOf(path), path).guided,
});

async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(urls[path])).arrayBuffer());
}
