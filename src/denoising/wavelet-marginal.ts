/**
 * Denoising of single wavelet coefficients (Figueiredo & Nowak 2001, "Wavelet-based image
 * estimation: an empirical Bayes approach using Jeffreys' noninformative prior"). A coefficient is
 * normal with an unknown variance under Jeffreys' prior. The most probable variance given the noisy
 * coefficient, inserted into the posterior mean, gives
 *
 *   x̂ = max(y² − 3σ², 0) / y
 *
 *   symbol  meaning
 *   y       a noisy coefficient
 *   σ       standard deviation of its noise
 *   x̂       its estimate: 0 up to |y| = √3 σ, and y − 3σ²/y beyond
 *
 * The rule has no parameters. It is the paper's marginal model in §4.2, "Denoising".
 */
import type { GreyImage } from "../images/grey-image.js";
import {
  type WaveletDenoisingOptions,
  checkWaveletOptions,
  denoiseInWavelets,
} from "./wavelet-domain.js";

/** Denoises an image by estimating every wavelet coefficient separately. */
export async function denoiseByMarginals(
  noisy: GreyImage,
  options: WaveletDenoisingOptions,
): Promise<GreyImage> {
  checkWaveletOptions(options);
  return denoiseInWavelets(noisy, options, ({ values }) => {
    return (k) => jeffreysEstimate(values[k], options.sigma);
  });
}

export function jeffreysEstimate(y: number, sigma: number): number {
  const rest = y * y - 3 * sigma * sigma;
  return rest > 0 ? rest / y : 0;
}
