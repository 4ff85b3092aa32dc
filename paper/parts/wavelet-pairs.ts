/**
 * §4.1: pairs of horizontally separated coefficients in the oriented bands of a steerable pyramid.
 * Saturated images are skipped, and a nonlinearity makes intensities marginally Gaussian (§6.3).
 * The band of each image is scaled to variance 1: images differ in contrast, which would make all
 * coefficients of an image depend on each other.
 */
import { openImageSet } from "../../node/image-set.js";
import { gaussianize } from "../../src/density/induced-density.js";
import { GaussianizeError } from "../../src/errors.js";
import { prose } from "../../src/figures/report-text.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { concatenated } from "../../src/kernels/concatenated.js";
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
  /** Indices of the four orientations. */
  readonly orientations: readonly number[];
  /** Horizontal separations in pixels. */
  readonly separations: readonly number[];
  readonly pairsPerImage: number;
}

export interface WaveletPairs {
  /** Number of images used. */
  readonly images: number;
  /** Number of images skipped, since they are saturated or cannot be read. */
  readonly leftOut: number;
  readonly pairsPerImage: number;
  /** Hash of the images. */
  readonly dataHash: string;
  /** Pairs (count×2), image after image. */
  at(orientation: number, separation: number): Float32Array;
}

/** The source of the pairs of the paper. */
export const pairSet = "vanhateren";

/** The source of the pairs, in words. */
export function pairWords({ quick }: Pick<PaperContext, "quick">, pairs: WaveletPairs): string {
  const { images, leftOut, pairsPerImage } = pairs;
  const set = quick ? "that come with the package" : "of the van Hateren set";
  const others = leftOut === 0 ? "" : ` (${leftOut} left out, saturated or unreadable)`;
  return prose`
    ${images} photographs ${set}${others}, ${thousands(pairsPerImage)} pairs from each, at least
    ${border} coefficients away from its edges. Intensities are in linear light, after the curve
    that makes them Gaussian (§6.3). Coefficients are horizontal neighbours in the finest scale,
    scaled to variance 1 in each image
  `;
}

/** Number of pixels of each image for the fit of the nonlinearity. */
const pixelsPerImage = 4000;

export async function waveletPairs(
  context: PaperContext,
  options: WaveletPairOptions,
): Promise<WaveletPairs> {
  const { seed, signal } = context;
  const paths = await context.images(pairSet);
  // The size of patches only sets the smallest image.
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
  const joined = new Map(
    Array.from(found, ([key, parts]) => [key, concatenated(Float32Array, parts)]),
  );
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
    prose`
      ${path} is too small for pairs ${farthest} pixels apart: expected at least
      ${least}×${2 * border + 1} pixels but received ${width}×${height}.
    `,
  );
}

function keyOf(orientation: number, separation: number): string {
  return `${orientation} ${separation}`;
}

/** Fits one nonlinearity for all images. */
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
  return fitPointwise(runner, concatenated(Float32Array, values), { seed, holds, signal });
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
  const bands = steerableBands(image, { orientations: orientationNames.length });
  for (const orientation of orientations) {
    for (const separation of separations) {
      const random = createRandom(seed, "paper pairs", orientation, separation, index);
      const pairs = neighbourPairs(bands[orientation], { separation, count, random });
      const key = keyOf(orientation, separation);
      found.set(key, [...(found.get(key) ?? []), pairs]);
    }
  }
}
