/** The models of patches of §4.2, which several experiments share, and patches to measure them. */
import { basename } from "node:path";
import { openImageSet } from "../../node/image-set.js";
import { densityOf } from "../../src/density/density-of.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { type Model, requirePatchModel } from "../../src/density/model-files/model.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import type { Evaluation, Scores } from "../../src/evaluation/evaluation.js";
import { randomPatches } from "../../src/patches/image-patches.js";
import type { LoadedImage } from "../../src/patches/image-reading.js";
import { patchesToSamples } from "../../src/patches/patch-layout.js";
import { createRandom } from "../../src/random/random-stream.js";
import type { ModelName } from "../../src/transforms/model-names.js";
import type { FitRequest, PaperContext, PaperFit } from "../experiment.js";

export type PatchModel = "ica-mg" | "rg" | "gdn";

/** From the simplest to the most general. */
export const patchModels: readonly PatchModel[] = ["ica-mg", "rg", "gdn"];

/** The source of the 16×16 patches of the paper. */
export const patchSet = "kodak";

export function patchSize({ quick }: Pick<PaperContext, "quick">): number {
  return quick ? 8 : 16;
}

export function patchWords({ quick }: Pick<PaperContext, "quick">): string {
  return quick
    ? "8×8 patches of the eight photographs that come with the package"
    : "16×16 patches of the 24 photographs of the Kodak set";
}

/** RG has three parameters besides its whitening, and converges early. */
const fullSteps: Partial<Record<ModelName, number>> = { rg: 1000 };
const quickSteps: Record<PatchModel, number> = { "ica-mg": 3000, rg: 500, gdn: 2500 };

/** Requests a fit to all images, which are also those of the evaluation, as in the paper. */
export function patchRequest(
  context: Pick<PaperContext, "quick">,
  model: PatchModel,
  noise = false,
): FitRequest {
  const { quick } = context;
  const [source, size] = [quick ? "embedded" : "kodak", patchSize(context)];
  const steps = quick ? quickSteps[model] : fullSteps[model];
  return {
    name: `${source}${size}-${model}${noise ? "-noise" : ""}`,
    model,
    set: patchSet,
    patch: size,
    noise,
    heldOut: 0,
    ...(steps === undefined ? {} : { steps }),
  };
}

export async function fitPatchModels(
  context: PaperContext,
  models: readonly PatchModel[] = patchModels,
): Promise<PaperFit<Model>[]> {
  const fits: PaperFit<Model>[] = [];
  for (const name of models) {
    const fit = await context.fit(patchRequest(context, name));
    fits.push({ ...fit, model: requirePatchModel(fit.model) });
  }
  return fits;
}

/**
 * Evaluates a fit as `gaussianize evaluate` does: on the same patches, with the same numbers.
 * `onScores` receives log p of the patches.
 */
export async function evaluateFit(
  context: PaperContext,
  { title, model }: PaperFit,
  images: readonly string[],
  patches: number,
  onScores?: (scores: Scores) => void,
): Promise<Evaluation> {
  const { runner, seed, signal } = context;
  const set = await openImageSet(images, requireReading(model), { seed, signal, strict: true });
  const report = context.progress(`evaluating ${title}`, patches);
  const source = {
    images: set.images,
    load: set.load,
    nameOf: (index: number) => basename(set.images[index].path),
  };
  const options = { patches, seed, signal, onProgress: report, ...(onScores && { onScores }) };
  const evaluation = await evaluate(densityOf(model, runner), source, options);
  report(patches);
  return evaluation;
}

/** Samples at random places of all images, read as the model requires; `purpose` is a seed. */
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
