import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { rangeOf } from "../numbers/order-statistics.js";

/** Of the pixels, in the highest bin: more of them, and the picture counts as saturated. */
const mostInHighestBin = 0.001;
const defaultBins = 256;

/**
 * Whether a picture has saturation artifacts, paper §6.3: more than 0.1 % of its pixels lie in the
 * highest-valued bin of a histogram of its intensities (over its own range; the paper does not say
 * how many bins it has, here 256).
 */
export function isSaturated(pixels: FloatArray, bins = defaultBins): boolean {
  if (pixels.length === 0) throw expected("pixels", "hold at least one value", 0);
  const { lowest, highest } = rangeOf(pixels);
  const edge = highest - (highest - lowest) / bins;
  let inHighest = 0;
  for (const value of pixels) if (value >= edge) inHighest++;
  return inHighest > mostInHighestBin * pixels.length;
}
