/**
 * §4.1: pairs of coefficients within oriented bands of a steerable pyramid, side by side at some
 * separation. Images are those without saturation artifacts, after the nonlinearity that makes
 * their intensities marginally Gaussian (§6.3). The band of each image is scaled to variance 1:
 * images differ in contrast, and among them all, any two coefficients of one image would depend on
 * each other, however far apart.
 */
import { openImageSet } from "../../node/image-set.js";
import { gaussianize } from "../../src/density/induced-density.js";
import { GaussianizeError } from "../../src/errors.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { thousands } from "../../src/numbers/format-number.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitPointwise } from "../../src/training/fit-pointwise.js";
import type { Pointwise } from "../../src/transforms/pointwise.js";
import {
  neighbourBorder as border,
  neighbourPairCount,
  neighbourPairs,
  orientationNames,
} from "../../src/wavelets/coefficient-pairs.js";
import { steerableBands } from "../../src/wavelets/steerable-pyramid.js";
import type { PaperContext } from "../experiment.js";

export interface WaveletPairOptions {
  /** Which of the four orientations. */
  readonly orientations: readonly number[];
  /** In pixels, along the rows. */
  readonly separations: readonly number[];
  readonly pairsPerImage: number;
}

export interface WaveletPairs {
  /** How many there are. */
  readonly images: number;
  /** How many were left out, since they are saturated or cannot be read. */
  readonly leftOut: number;
  readonly pairsPerImage: number;
  /** Of the images. */
  readonly dataHash: string;
  /** count×2, image after image. */
  at(orientation: number, separation: number): Float32Array;
}

/** Of the finest scale. */
const orientationCount = orientationNames.length;

/** The set that the paper takes its pairs from. */
export const pairSet = "vanhateren";

/** Where the pairs are from, in words. */
export function pairWords({ quick }: Pick<PaperContext, "quick">, pairs: WaveletPairs): string {
  const { images, leftOut, pairsPerImage } = pairs;
  const set = quick ? "that come with the package" : "of the van Hateren set";
  const others = leftOut === 0 ? "" : ` (${leftOut} left out, saturated or unreadable)`;
  return `${images} photographs ${set}${others}, ${thousands(pairsPerImage)} pairs from each, at least ${border} coefficients away from its edges. Intensities are in linear light, after the curve that makes them Gaussian (§6.3). Coefficients are horizontal neighbours in the finest scale, scaled to variance 1 in each image`;
}

/** Pixels of each image that the nonlinearity is fitted to. */
const pixelsPerImage = 4000;

export async function waveletPairs(
  context: PaperContext,
  options: WaveletPairOptions,
): Promise<WaveletPairs> {
  const { seed, signal } = context;
  const paths = await context.images(pairSet);
  // Patches are not what is wanted here: their side only says how small an image may be.
  const layout = { size: 2 * border, removeMean: false };
  const reading = { luminance: "linear", dequantize: false, layout } as const;
  const set = await openImageSet(paths, reading, { seed, signal, removeSaturated: true });
  const curve = await fittedCurve(context, set);
  const found = new Map<string, Float32Array[]>();
  let images = 0;
  const report = context.progress("bands of the pyramid", set.images.length);
  for (const index of set.images.keys()) {
    const image = await set.load(index, 0);
    if (image) {
      requireWidth(image, set.images[index].path, options);
      addPairs(context, found, await curved(context, curve, image), index, options);
      images++;
    }
    report(index + 1);
  }
  const joined = new Map(Array.from(found, ([key, parts]) => [key, concatenated(parts)]));
  return {
    images,
    leftOut: set.skipped.length,
    pairsPerImage: options.pairsPerImage,
    dataHash: set.fingerprint,
    at: (orientation, separation) => {
      const pairs = joined.get(keyOf(orientation, separation));
      if (!pairs) throw new Error(`no pairs of ${orientation} at ${separation}`);
      return pairs;
    },
  };
}

function requireWidth(
  { width, height }: GreyImage,
  path: string,
  { separations }: WaveletPairOptions,
): void {
  const farthest = Math.max(...separations);
  if (neighbourPairCount({ width, height }, farthest) > 0) return;
  const least = 2 * border + 1 + farthest;
  throw new GaussianizeError(
    "unusable-images",
    `${path} is too small for pairs ${farthest} pixels apart: expected at least ${least}×${2 * border + 1} pixels but received ${width}×${height}.`,
  );
}

function keyOf(orientation: number, separation: number): string {
  return `${orientation} ${separation}`;
}

/** One nonlinearity for all images. */
async function fittedCurve(
  { runner, seed, signal }: PaperContext,
  set: ImageSet,
): Promise<Pointwise> {
  const values: Float32Array[] = [];
  for (const index of set.images.keys()) {
    const image = await set.load(index, 0);
    if (!image) continue;
    const random = createRandom(seed, "paper pairs", "pixels", index);
    const { pixels } = image;
    values.push(
      Float32Array.from({ length: pixelsPerImage }, () => pixels[random.integer(pixels.length)]),
    );
  }
  const holds = [0, 1] as const;
  return fitPointwise(runner, concatenated(values), { seed, holds, signal });
}

async function curved(
  { runner, signal }: PaperContext,
  curve: Pointwise,
  { width, height, pixels }: GreyImage,
): Promise<GreyImage> {
  const { y } = await gaussianize(runner, curve, pixels, { signal });
  return { width, height, pixels: Float32Array.from(y) };
}

function addPairs(
  { seed }: PaperContext,
  found: Map<string, Float32Array[]>,
  image: GreyImage,
  index: number,
  { orientations, separations, pairsPerImage: count }: WaveletPairOptions,
): void {
  const bands = steerableBands(image, { orientations: orientationCount });
  for (const orientation of orientations) {
    for (const separation of separations) {
      const random = createRandom(seed, "paper pairs", orientation, separation, index);
      const pairs = neighbourPairs(bands[orientation], { separation, count, random });
      const key = keyOf(orientation, separation);
      found.set(key, [...(found.get(key) ?? []), pairs]);
    }
  }
}

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
