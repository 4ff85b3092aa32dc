import { expected } from "../errors.js";
import { type GreyPixels, requirePixels } from "../images/grey-image.js";
import { splitIntoWavelets } from "../wavelets/orthonormal-wavelet.js";

/** The median of |n| for a standard normal n. */
const normalMedian = 0.6744897501960817;

/**
 * The standard deviation of white noise in an image, from the image alone (Donoho & Johnstone 1994):
 *
 *   σ̂ = median |y_k| / 0.6745
 *
 *   symbol  meaning
 *   y       coefficients of the finest diagonal band of an orthonormal wavelet: of noise they are normal with standard deviation σ,
 *           of most images few are large, and a median does not mind those
 *
 * Too large where an image is full of fine texture: what it has in the finest band counts as noise.
 */
export function estimateNoiseLevel(image: GreyPixels): number {
  requirePixels(image, "the image");
  const { pixels } = image;
  // The band is blind to a constant; without it, a constant image has coefficients of exactly 0.
  const centred = new Float64Array(pixels).map((value) => value - pixels[0]);
  const { details } = splitIntoWavelets({ ...image, pixels: centred }, { scales: 1 });
  return median(details[0].diagonal.values.map(Math.abs)) / normalMedian;
}

/** Sorts the values. */
function median(values: Float64Array): number {
  values.sort();
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

export function checkSigma(sigma: number): void {
  if (Number.isFinite(sigma) && sigma >= 0) return;
  throw expected("sigma", "be a finite number of at least 0", sigma);
}
