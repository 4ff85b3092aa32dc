/** Holds images out of a fit, and cuts from them the samples to validate with. */
import { gaussianize } from "../density/induced-density.js";
import { GaussianizeError, expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { concatenated } from "../kernels/concatenated.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError } from "../parallel/abort-error.js";
import type { TaskRunner } from "../parallel/job.js";
import { randomPatches } from "../patches/image-patches.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import { patchesToSamples } from "../patches/patch-layout.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { Affine } from "../transforms/affine.js";
import type { Pointwise } from "../transforms/pointwise.js";

/** Most images to hold out: more would add little to the validation. */
const mostHeldOut = 64;
/** Number of validation patches, whatever the batch size. */
const validationPatches = 2048;

export interface ImageSplit {
  /** Indices of the images to train on, in increasing order. */
  readonly training: Uint32Array;
  /** Indices of the images to validate with, in increasing order. */
  readonly heldOut: Uint32Array;
}

/**
 * Returns the split of a fit with the options `heldOut` and `seed`, if it can use every image. A
 * fit skips an unusable image and holds out the next one in the same random order.
 *
 * @example
 * ```js
 * import { splitImages } from "gaussianize/training";
 *
 * console.log(splitImages(10, 0.2, 1).heldOut.length); // 2
 * ```
 */
export function splitImages(images: number, heldOut: number, seed: Seed): ImageSplit {
  if (!Number.isInteger(images) || images < 1) {
    throw expected("images", "be a positive integer", images);
  }
  if (!(heldOut >= 0 && heldOut <= 0.9)) throw expected("heldOut", "be from 0 to 0.9", heldOut);
  const order = orderOf(images, seed);
  const count = heldOutCount(images, heldOut);
  return { heldOut: order.slice(0, count).sort(), training: order.slice(count).sort() };
}

function orderOf(images: number, seed: Seed): Uint32Array {
  return createRandom(seed, "held out").permutation(images);
}

/**
 * Splits images of which some may be unusable. Reads the images that it holds out and one more;
 * unusable images among them are in neither part. At least one usable image remains to train on.
 *
 * @param isUsable Called at most once for each image.
 * @throws GaussianizeError if no image is usable
 */
export async function splitUsable(
  images: number,
  part: number,
  seed: Seed,
  isUsable: (index: number) => Promise<boolean>,
): Promise<ImageSplit> {
  const order = orderOf(images, seed);
  const heldOut: number[] = [];
  let [next, usable] = [0, images];
  const isDone = (): boolean => heldOut.length >= heldOutCount(usable, part);
  if (isDone()) return { training: order.sort(), heldOut: new Uint32Array(0) };
  for (; next < images; next++) {
    if (!(await isUsable(order[next]))) usable--;
    else if (isDone()) break;
    else heldOut.push(order[next]);
  }
  // Unusable images found later reduce the number to hold out: train on the surplus.
  const surplus = heldOut.splice(Math.max(0, heldOutCount(usable, part)));
  const training = Uint32Array.from([...surplus, ...order.slice(next)]);
  if (training.length > 0)
    return { training: training.sort(), heldOut: Uint32Array.from(heldOut).sort() };
  throw new GaussianizeError("unusable-images", `None of the ${images} images can be used.`);
}

/** Returns at least 1, unless `part` is 0 or there is only one image. */
function heldOutCount(images: number, part: number): number {
  if (part === 0) return 0;
  return Math.min(images - 1, mostHeldOut, Math.max(1, Math.round(part * images)));
}

export interface HoldOutOptions {
  /** Number of images. */
  readonly images: number;
  readonly load: LoadImage;
  readonly reading: ImageReading;
  /** Crops to validate with; default: patches. */
  readonly crops?: CropOptions;
  readonly seed: Seed;
  /** Fraction of the images to validate with. */
  readonly heldOut: number;
  readonly signal?: AbortSignal;
}

export interface CropOptions {
  /** Side in pixels, a multiple of the side of a patch. */
  readonly side: number;
  /** Approximate number of crops to validate with. */
  readonly validation: number;
}

export interface ValidationSamples {
  /** Preprocessed samples, count×N, or crops. */
  readonly x: FloatArray;
  /** Mean log |det| of the preprocessing of a sample. */
  readonly logDeterminant: number;
  readonly energyPerDimension: number;
  /** Number of held-out images. */
  readonly images: number;
}

export interface HeldOut {
  /** Indices of the images to train on. */
  readonly training: Uint32Array;
  /** Patches or crops of each held-out image, as read. */
  readonly parts: readonly Float32Array[];
  /** A training image that was decoded on the way; null if no image is held out. */
  readonly decoded: { readonly index: number; readonly image: GreyImage } | null;
}

/** Chooses usable images to validate with, with one image in memory at a time. */
export async function holdOut(options: HoldOutOptions): Promise<HeldOut> {
  const { images, heldOut: part, load, reading, crops, seed, signal } = options;
  const side = crops?.side ?? reading.layout.size;
  const samples = crops?.validation ?? validationPatches;
  const count = Math.ceil(samples / Math.max(1, heldOutCount(images, part)));
  const parts = new Map<number, Float32Array>();
  let decoded: HeldOut["decoded"] = null;
  const { training, heldOut } = await splitUsable(images, part, seed, async (index) => {
    if (signal?.aborted) throw abortError(signal);
    const image = await load(index, 0);
    if (!image) return false;
    const random = createRandom(seed, "validation", index);
    parts.set(index, randomPatches(random, [image], side, count));
    decoded = { index, image };
    return true;
  });
  return { training, parts: [...heldOut].flatMap((index) => parts.get(index) ?? []), decoded };
}

/** Returns null if no image is held out. */
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

/** Returns ½ E x² of a component. */
export function energyOf(samples: FloatArray): number {
  let squares = 0;
  for (let k = 0; k < samples.length; k++) squares += samples[k] * samples[k];
  return squares / samples.length / 2;
}
