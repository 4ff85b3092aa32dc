import { svgDocument } from "../../node/index.js";
import type { PaperContext } from "../../paper/experiment.js";
import { simdRunner } from "./inline-runners.js";

/** What a quick experiment is given, with these images for any set; nothing is kept, and no model may be fitted to files. */
export async function quickPaperContext(paths: readonly string[]): Promise<PaperContext> {
  return {
    runner: simdRunner,
    document: await svgDocument(),
    signal: new AbortController().signal,
    seed: 1,
    quick: true,
    steps: null,
    part: (_experiment, _key, make) => make(),
    images: () => Promise.resolve(paths),
    fit: () => Promise.reject(new Error("nothing is to be fitted")),
    fitImages: () => Promise.reject(new Error("nothing is to be fitted")),
    keptImages: () => Promise.resolve(null),
    progress: () => () => undefined,
  };
}
