/** Patches of images for the experiments, and how likely they are. */
import { basename } from "node:path";
import { openImageSet } from "../../node/image-set.js";
import { densityOf } from "../../src/density/density-of.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import type { Evaluation } from "../../src/evaluation/evaluation.js";
import { randomPatches } from "../../src/patches/image-patches.js";
import type { LoadedImage } from "../../src/patches/image-reading.js";
import { patchesToSamples } from "../../src/patches/patch-layout.js";
import { createRandom } from "../../src/random/random-stream.js";
import type { PaperContext, PaperFit } from "../experiment.js";

/** As `gaussianize evaluate` does it: the same patches, the same numbers. */
export async function evaluateFit(
  context: PaperContext,
  { title, model }: PaperFit,
  images: readonly string[],
  patches: number,
): Promise<Evaluation> {
  const { runner, seed, signal } = context;
  const set = await openImageSet(images, requireReading(model), { seed, signal, strict: true });
  const report = context.progress(`evaluating ${title}`, patches);
  const source = {
    images: set.images,
    load: set.load,
    nameOf: (index: number) => basename(set.images[index].path),
  };
  const options = { patches, seed, signal, onProgress: report };
  const evaluation = await evaluate(densityOf(model, runner), source, options);
  report(patches);
  return evaluation;
}

/**
 * Samples at random places of all images, as the model reads them; another `purpose`, other places.
 */
export async function patchesFor(
  { seed, signal }: PaperContext,
  { model, images }: PaperFit,
  count: number,
  purpose: string,
): Promise<Float32Array> {
  const reading = requireReading(model);
  const set = await openImageSet(images, reading, { seed, signal, strict: true });
  const loaded: LoadedImage[] = [];
  for (const index of set.images.keys()) {
    const image = await set.load(index, 0);
    if (image) loaded.push(image);
  }
  const random = createRandom(seed, "paper", purpose);
  const patches = randomPatches(random, loaded, reading.layout.size, count);
  return Float32Array.from(patchesToSamples(patches, reading.layout));
}
