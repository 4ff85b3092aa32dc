/**
 * Whitening of coloured noise. A filter gives the noise of a picture the same power at all
 * frequencies, and its inverse restores the picture:
 *
 *   ỹ = h ∗ y,   |H(f)|² = r(0) / max(S(f), S_least),   S_least = r(0)/20
 *
 *   symbol  meaning
 *   y, ỹ    the noisy picture before and after the filter
 *   h, H    filter without phase, and its frequency response
 *   S, r    spectrum and covariance of the noise (noise-spectrum.ts)
 *
 * The white-noise denoiser then estimates E[h ∗ x | h ∗ y], patch by patch: the posterior mean of
 * the filtered picture under the density of noisy patches. The filter is linear, so its inverse
 * gives the posterior mean of the picture itself under that density of filtered patches. S_least
 * bounds the gain of the filter where there is hardly any noise.
 */
import { meanOf } from "../../numbers/means.js";
import { realFourierPlan2d } from "../../fourier/real-fourier-2d.js";
import { type GreyImage, type ImageSize, cropOf } from "../../images/grey-image.js";
import { extendByReflection } from "../../images/reflection.js";
import type { NoiseCovariance } from "./noise-spectrum.js";

export interface Whitening {
  /** Standard deviation of the noise after the filter. */
  readonly sigma: number;
  readonly forward: (image: GreyImage) => GreyImage;
  readonly inverse: (image: GreyImage) => GreyImage;
}

/** Smallest power of the noise, relative to its mean. */
const leastPower = 1 / 20;
/** Pixels beyond each edge: the filters are shorter. */
const margin = 24;

/** Returns the filter for images of one size. */
export function whiteningOf(covariance: NoiseCovariance, { width, height }: ImageSize): Whitening {
  const size = { width: width + 2 * margin, height: height + 2 * margin };
  const power = spectrumOf(covariance, size);
  const variance = covarianceAt(covariance, 0, 0);
  const gain = power.map((value) => Math.sqrt(variance / Math.max(value, leastPower * variance)));
  const left = power.map((value, k) => Math.max(0, value) * gain[k] * gain[k]);
  const inverse = gain.map((value) => 1 / value);
  return {
    sigma: Math.sqrt(meanOf(left)),
    forward: (image) => filtered(image, gain),
    inverse: (image) => filtered(image, inverse),
  };
}

export function covarianceAt({ reach, values }: NoiseCovariance, dx: number, dy: number): number {
  return values[(dy + reach) * (2 * reach + 1) + dx + reach];
}

/** Returns S at the frequencies of a half spectrum. */
function spectrumOf(covariance: NoiseCovariance, { width, height }: ImageSize): Float64Array {
  const { reach } = covariance;
  const lags = new Float64Array(width * height);
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const place = ((dy + height) % height) * width + ((dx + width) % width);
      lags[place] += covarianceAt(covariance, dx, dy);
    }
  }
  return realFourierPlan2d(width, height).forward(lags).real;
}

/** Filters an image around its mean, which stays. */
function filtered(image: GreyImage, gain: Float64Array): GreyImage {
  const mean = meanOf(image.pixels);
  const sides = { left: margin, top: margin, right: margin, bottom: margin };
  const { width, height, pixels } = extendByReflection(image, sides);
  const plan = realFourierPlan2d(width, height);
  const spectrum = plan.forward(pixels.map((value) => value - mean));
  for (let k = 0; k < gain.length; k++) {
    spectrum.real[k] *= gain[k];
    spectrum.imaginary[k] *= gain[k];
  }
  const result = Float32Array.from(plan.inverse(spectrum), (value) => value + mean);
  return cropOf({ width, height, pixels: result }, margin, margin, image);
}
