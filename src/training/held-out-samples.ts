/** Samples of the images that are not fitted to, for validations. */
import { gaussianize } from "../density/induced-density.js";
import { concatenated } from "../kernels/concatenated.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError } from "../parallel/abort-error.js";
import type { TaskRunner } from "../parallel/job.js";
import { patchesToSamples } from "../patches/patch-layout.js";
import { randomPatches } from "../patches/random-patches.js";
import { createRandom } from "../random/random-stream.js";
import type { Affine } from "../transforms/affine.js";
import type { Pointwise } from "../transforms/pointwise.js";
import type { PreparationOptions } from "./prepare-fit.js";

export interface ValidationSamples {
  /** count×N, preprocessed; or crops. */
  readonly x: FloatArray;
  /** Mean of log |det| of the preprocessing over them, of N values each. */
  readonly logDeterminant: number;
  readonly energyPerDimension: number;
  /** That they are from. */
  readonly images: number;
}

/** Enough to compare transforms on the same patches; whatever is the size of a batch. */
const validationPatches = 2048;

export async function validationSamples(
  runner: TaskRunner,
  stage: Pointwise | Affine,
  heldOut: Uint32Array,
  options: PreparationOptions,
): Promise<ValidationSamples | null> {
  const { layout } = options.reading;
  const parts = await heldOutPatches(heldOut, options);
  if (parts.length === 0) return null;
  const samples = patchesToSamples(concatenated(Float32Array, parts), layout);
  const { y, logDeterminant } = await gaussianize(runner, stage, samples);
  const sum = logDeterminant.reduce((total, value) => total + value, 0);
  return {
    x: y,
    logDeterminant: sum / logDeterminant.length,
    energyPerDimension: energyOf(y),
    images: parts.length,
  };
}

/** As many from each image, of which one at a time is in memory. */
async function heldOutPatches(
  heldOut: Uint32Array,
  { load, reading: { layout }, crops, seed, signal }: PreparationOptions,
): Promise<Float32Array[]> {
  const { side, validation } = crops ?? { side: layout.size, validation: validationPatches };
  const count = Math.ceil(validation / Math.max(1, heldOut.length));
  const parts: Float32Array[] = [];
  for (const index of heldOut) {
    if (signal?.aborted) throw abortError(signal);
    const image = await load(index, 0);
    if (!image) continue;
    parts.push(randomPatches(createRandom(seed, "validation", index), [image], side, count));
  }
  return parts;
}

/** ½ E x² of a component. */
export function energyOf(samples: FloatArray): number {
  let squares = 0;
  for (const value of samples) squares += value * value;
  return squares / samples.length / 2;
}
