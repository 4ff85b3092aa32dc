import { expected } from "../errors.js";
import { type GreyPixels, type ImageSize, requirePixels } from "../images/grey-image.js";
import type { JpegBlocks } from "../images/jpeg-tables.js";
import { checkFields } from "../transforms/checks.js";
import { jpegNoise } from "./jpeg-noise.js";
import { nthSmallest } from "../numbers/order-statistics.js";
import { summedArea } from "../numbers/summed-area.js";
import { cornersOf, leastRatio, patchNoise, patchShapeOf } from "./patch-noise.js";

export interface NoiseLevelOptions {
  /** 1 for each clipped pixel, 0 for the others. */
  readonly clipped?: Uint8Array | undefined;
  /** Quantisation of the JPEG file that the image comes from; pixels must be from 0 to 1. */
  readonly jpeg?: JpegBlocks | undefined;
}

export interface NoiseEstimate {
  readonly sigma: number;
  /**
   * Reason for doubt. "texture": nothing in the image looks like white noise. "jpeg": JPEG has
   * changed the noise, and σ is its level before.
   */
  readonly doubt?: "texture" | "jpeg";
}

/** Limits of `excess` (patch-noise.ts): below for white noise, above for a doubtful estimate. */
const whiteNoise = 0.1;
const doubtful = 0.2;

/**
 * Estimates the level of white noise from the image alone, and tells whether it may be far off.
 *
 * Clipped pixels have lost much of their noise, so only patches with hardly any clipped pixels
 * around them count, or the twentieth of all patches with the fewest. For JPEG files, σ is the
 * level before compression, which is also the best for denoising.
 */
export function estimateNoise(
  image: GreyPixels,
  { clipped, jpeg, ...others }: NoiseLevelOptions = {},
): NoiseEstimate {
  checkFields("the options", others, []);
  requirePixels(image, "the image");
  const { length } = image.pixels;
  if (clipped && clipped.length !== length) {
    throw expected("clipped", `hold ${length} values, one per pixel`, clipped.length);
  }
  const shape = patchShapeOf(image);
  const corners = cornersOf(image, shape);
  const usable = clipped ? leastClipped(corners, shape, image, clipped) : corners;
  const { sigma, excess } = patchNoise(image, shape, usable);
  const isWhite = excess <= whiteNoise;
  const before = jpeg && jpegNoise(image, jpeg, clipped);
  if (before !== undefined) {
    return isWhite ? { sigma: Math.min(sigma, before) } : { sigma: before, doubt: "jpeg" };
  }
  return excess <= doubtful ? { sigma } : { sigma, doubt: "texture" };
}

/** Half the side of the area around a patch, in pixels. */
const reach = 12;
/**
 * Accepted share of clipped pixels around a patch; noise alone sometimes reaches black or white.
 */
const fewClipped = 0.02;
/** Share above which the image is a page of text or a drawing, whose lines are not noise. */
const mostClipped = 1 / 3;

/**
 * Returns the patches with hardly any clipped pixels around them, or the twentieth with the fewest;
 * all patches if even these have many.
 */
function leastClipped(
  corners: Int32Array,
  shape: ImageSize,
  image: GreyPixels,
  clipped: Uint8Array,
): Int32Array {
  const shares = clippedShares(corners, shape, image, clipped);
  const twentieth = Math.ceil(shares.length / 20);
  const needed = Math.min(shares.length, leastRatio * shape.width * shape.height);
  const share = nthSmallest(shares.slice(), Math.max(twentieth, needed) - 1);
  if (share > mostClipped) return corners;
  const most = Math.max(fewClipped, share);
  return corners.filter((_, k) => shares[k] <= most);
}

/** Returns the share of clipped pixels around each patch. */
function clippedShares(
  corners: Int32Array,
  shape: ImageSize,
  { width, height }: GreyPixels,
  clipped: Uint8Array,
): Float64Array {
  const clippedIn = summedArea(width, height, (sum, x, y) =>
    clipped[y * width + x] === 0 ? sum : sum + 1,
  );
  return Float64Array.from(corners, (corner) => {
    const x = (corner % width) + (shape.width >> 1);
    const y = Math.floor(corner / width) + (shape.height >> 1);
    const [left, right] = [Math.max(0, x - reach), Math.min(width, x + reach)];
    const [top, bottom] = [Math.max(0, y - reach), Math.min(height, y + reach)];
    return clippedIn({ left, right, top, bottom }) / ((right - left) * (bottom - top));
  });
}

export function checkSigma(sigma: number): void {
  if (Number.isFinite(sigma) && sigma >= 0) return;
  throw expected("sigma", "be a finite number of at least 0", sigma);
}
