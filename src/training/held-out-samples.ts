/** Holds images out of a fit, and cuts the samples from them that it validates with. */
import { gaussianize } from "../density/induced-density.js";
import { concatenated } from "../kernels/concatenated.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError } from "../parallel/abort-error.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import { patchesToSamples } from "../patches/patch-layout.js";
import { randomPatches } from "../patches/image-patches.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { GreyImage } from "../images/grey-image.js";
import type { Affine } from "../transforms/affine.js";
import type { Pointwise } from "../transforms/pointwise.js";
import { heldOutCount, splitUsable } from "./held-out.js";

export interface HoldOutOptions {
  /** Number of images, and how to get one. */
  readonly images: number;
  readonly load: LoadImage;
  readonly reading: ImageReading;
  /** Of a fit that looks at more than a patch at a time; left out: steps are of patches. */
  readonly crops?: CropOptions;
  readonly seed: Seed;
  /** Part of the images to validate with. */
  readonly heldOut: number;
  readonly signal?: AbortSignal;
}

export interface CropOptions {
  /** In pixels, a multiple of that of a patch. */
  readonly side: number;
  /** How many to validate with, about. */
  readonly validation: number;
}

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

export interface HeldOut {
  /** Indices of the images to train on. */
  readonly training: Uint32Array;
  /** Patches or crops of each held-out image, as read. */
  readonly parts: readonly Float32Array[];
  /**
   * One of the training images, decoded to know that it is usable; null where no image is held out.
   */
  readonly decoded: { readonly index: number; readonly image: GreyImage } | null;
}

/** Chooses the images to validate with among those that can be used. One at a time is in memory. */
export async function holdOut(options: HoldOutOptions): Promise<HeldOut> {
  const { images, heldOut: part, load, reading, crops, seed, signal } = options;
  const { side, validation } = crops ?? {
    side: reading.layout.size,
    validation: validationPatches,
  };
  const count = Math.ceil(validation / Math.max(1, heldOutCount(images, part)));
  const parts = new Map<number, Float32Array>();
  let decoded: HeldOut["decoded"] = null;
  const split = await splitUsable(images, part, seed, async (index) => {
    if (signal?.aborted) throw abortError(signal);
    const image = await load(index, 0);
    if (!image) return false;
    const random = createRandom(seed, "validation", index);
    parts.set(index, randomPatches(random, [image], side, count));
    decoded = { index, image };
    return true;
  });
  const { training, heldOut } = split;
  return { training, parts: [...heldOut].flatMap((index) => parts.get(index) ?? []), decoded };
}

/** Returns null where no image is held out. */
export async function validationSamples(
  runner: TaskRunner,
  stage: Pointwise | Affine,
  { parts }: HeldOut,
  { reading: { layout } }: Pick<HoldOutOptions, "reading">,
): Promise<ValidationSamples | null> {
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

/** ½ E x² of a component. */
export function energyOf(samples: FloatArray): number {
  let squares = 0;
  for (const value of samples) squares += value * value;
  return squares / samples.length / 2;
}
