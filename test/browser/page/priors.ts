/** The priors of the package, as files beside the page. */
import {
  type PriorShelf,
  decodeGuided,
  decodeModel,
  keptShelf,
  priorsAmong,
  requirePatchModel,
} from "gaussianize";

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
