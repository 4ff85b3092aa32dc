import { expected } from "../errors.js";
import { type GreyPixels, requirePixels } from "../images/grey-image.js";
import { checkFields } from "../transforms/checks.js";
import type { Band } from "../wavelets/filter-bank.js";
import { finestDiagonal } from "../wavelets/orthonormal-wavelet.js";
import { nthSmallest } from "./nth-smallest.js";

/** The median of |n| for a standard normal n. */
const normalMedian = 0.6744897501960817;

export interface NoiseLevelOptions {
  /** For each pixel, 1 where its value was clipped, 0 elsewhere. */
  readonly clipped?: Uint8Array;
}

/**
 * The standard deviation of white noise in an image, from the image alone (Donoho & Johnstone 1994):
 *
 *   σ̂ = median |y_k| / 0.6745
 *
 *   symbol  meaning
 *   y       coefficients of the finest diagonal band of an orthonormal wavelet: of noise they are normal with standard deviation σ,
 *           of most images few are large, and a median does not mind those
 *
 * Too large where an image is full of fine texture: what it has in the finest band counts as noise. Too small where whites or blacks were
 * clipped, and much of the noise with them, unless `clipped` says where: only places with next to none of them around count, or, where
 * these are less than a twentieth of the image, the twentieth with the fewest. Photographs of which half is clipped come out
 * less than a tenth too low.
 */
export function estimateNoiseLevel(
  image: GreyPixels,
  { clipped, ...others }: NoiseLevelOptions = {},
): number {
  checkFields("the options", others, []);
  requirePixels(image, "the image");
  const { pixels } = image;
  if (clipped && clipped.length !== pixels.length) {
    throw expected("clipped", `hold ${pixels.length} values, one a pixel`, clipped.length);
  }
  // The band is blind to a constant; without it, a constant image has coefficients of exactly 0.
  const centred = new Float64Array(pixels).map((value) => value - pixels[0]);
  const diagonal = finestDiagonal({ ...image, pixels: centred });
  const all = diagonal.values.map(Math.abs);
  return median(clipped ? leastClipped(all, diagonal, image, clipped) : all) / normalMedian;
}

/** About the reach of a coefficient, in pixels to each side. */
const reach = 12;
/** Of the pixels around a coefficient: noise alone now and then reaches black or white. */
const fewClipped = 0.02;
/** Where more are clipped wherever one looks, it is a page of text or a drawing, whose lines are no noise. */
const mostClipped = 1 / 3;

/** The coefficients with hardly a clipped pixel around them, or the twentieth with the fewest; all, where even these have many. */
function leastClipped(
  values: Float64Array,
  band: Band,
  image: GreyPixels,
  clipped: Uint8Array,
): Float64Array {
  const shares = clippedShares(band, image, clipped);
  const twentieth = nthSmallest(shares.slice(), Math.ceil(shares.length / 20) - 1);
  if (twentieth > mostClipped) return values;
  const most = Math.max(fewClipped, twentieth);
  return values.filter((_, k) => shares[k] <= most);
}

/** For each coefficient, how many of the pixels around it are clipped, from 0 to 1. */
function clippedShares(
  band: Band,
  { width, height }: GreyPixels,
  clipped: Uint8Array,
): Float64Array {
  const sums = summedAbove(clipped, width, height);
  const at = (x: number, y: number): number => sums[y * (width + 1) + x];
  return band.values.map((_, k) => {
    const [x, y] = [2 * (k % band.width), 2 * Math.floor(k / band.width)];
    const [left, right] = [Math.max(0, x - reach), Math.min(width, x + reach)];
    const [top, bottom] = [Math.max(0, y - reach), Math.min(height, y + reach)];
    const count = at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
    return count / ((right - left) * (bottom - top));
  });
}

/** How many pixels above and to the left are not 0, with one row and one column more than the image has. */
function summedAbove(marks: Uint8Array, width: number, height: number): Float64Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      if (marks[y * width + x] !== 0) row++;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row;
    }
  }
  return sums;
}

/** Moves the values. */
function median(values: Float64Array): number {
  const middle = values.length >> 1;
  const upper = nthSmallest(values, middle);
  if (values.length % 2 === 1) return upper;
  const lower = values.subarray(0, middle).reduce((most, value) => Math.max(most, value));
  return (lower + upper) / 2;
}

export function checkSigma(sigma: number): void {
  if (Number.isFinite(sigma) && sigma >= 0) return;
  throw expected("sigma", "be a finite number of at least 0", sigma);
}
