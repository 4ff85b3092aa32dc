import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { rangeOf } from "../numbers/order-statistics.js";

/** Largest share of the pixels in the highest bin. */
const mostInHighestBin = 0.001;
const bins = 256;

/**
 * Tells whether a picture has saturation artifacts, paper §6.3: more than 0.1 % of its pixels lie
 * in the highest bin of a histogram of its intensities. The histogram covers the range of the
 * picture; the paper does not give the number of bins.
 */
export function isSaturated(pixels: FloatArray): boolean {
  if (pixels.length === 0) throw expected("pixels", "hold at least one value", 0);
  const { lowest, highest } = rangeOf(pixels);
  const edge = highest - (highest - lowest) / bins;
  let inHighest = 0;
  for (const value of pixels) if (value >= edge) inHighest++;
  return inHighest > mostInHighestBin * pixels.length;
}
