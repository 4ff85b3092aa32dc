/** Patches of images for the experiments, and how likely they are. */
import { basename } from "node:path";
import {
  type Evaluation,
  createRandom,
  evaluateImages,
  patchesToSamples,
  randomPatches,
  requireReading,
} from "../../src/index.js";
import { type LoadedImage, openImageSet } from "../../node/index.js";
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
  const evaluation = await evaluateImages(runner, model, {
    images: set.images.length,
    load: set.load,
    patches,
    seed,
    nameOf: (index) => basename(set.images[index].path),
    signal,
    onProgress: report,
  });
  report(patches);
  return evaluation;
}

/** Samples at random places of all images, as the model reads them; another `purpose`, other places. */
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
