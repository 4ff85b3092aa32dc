/**
 * Locally adaptive Wiener estimation (Lee 1980) of wavelet coefficients (Mıhçak, Kozintsev,
 * Ramchandran & Moulin 1999). The variance of the clean coefficients is measured in a window around
 * each place, and then treated as known.
 *
 *   v̂ = max(mean of y_k² over the window − σ², 0)
 *   x̂ = y v̂ / (v̂ + σ²)
 *
 *   symbol  meaning
 *   y       a noisy coefficient; the window is the square of coefficients around it, of the same
 *           band
 *   v̂       variance of the clean coefficients in the window
 *   σ       standard deviation of the noise
 *
 * It is applied to bands rather than pixels, because local means of pixels blur edges. Bands are
 * periodic like their wavelet.
 */
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import type { Band } from "../wavelets/filter-bank.js";
import {
  type WaveletDenoisingOptions,
  checkWaveletOptions,
  denoiseInWavelets,
} from "./wavelet-domain.js";

export interface WienerOptions extends WaveletDenoisingOptions {
  /** Side of the window in coefficients, odd, default 5; less in bands that are smaller. */
  readonly window?: number;
}

const largestWindow = 63;

/** Denoises an image by local variances of its wavelet coefficients. */
export async function denoiseByWiener(
  noisy: GreyImage,
  options: WienerOptions,
): Promise<GreyImage> {
  checkWaveletOptions(options, ["window"]);
  const { sigma, window = 5 } = options;
  if (!Number.isInteger(window) || window % 2 === 0 || window < 1 || window > largestWindow) {
    throw expected("window", `be an odd integer from 1 to ${largestWindow}`, window);
  }
  const noise = sigma * sigma;
  return denoiseInWavelets(noisy, options, (band) => {
    const power = localPower(band, (window - 1) / 2);
    return (k) => {
      const variance = Math.max(power[k] - noise, 0);
      return (band.values[k] * variance) / (variance + noise);
    };
  });
}

/** Returns the means of y² over the windows: first along the rows, then along the columns. */
function localPower({ width, height, values }: Band, reach: number): Float64Array {
  const squares = values.map((y) => y * y);
  const inRows = movingMean(squares, { lines: height, length: width, step: 1, next: width }, reach);
  return movingMean(inRows, { lines: width, length: height, step: width, next: 1 }, reach);
}

/** Lines in an array, with `step` between the values of a line and `next` between lines. */
interface Lines {
  readonly lines: number;
  readonly length: number;
  readonly step: number;
  readonly next: number;
}

function movingMean(
  values: Float64Array,
  { lines, length, step, next }: Lines,
  wanted: number,
): Float64Array {
  const reach = Math.min(wanted, (length - 1) >> 1);
  const means = new Float64Array(values.length);
  const line = new Float64Array(length + 2 * reach);
  for (let l = 0; l < lines; l++) {
    for (let k = 0; k < line.length; k++) {
      line[k] = values[l * next + ((k - reach + length) % length) * step];
    }
    for (let k = 0; k < length; k++) {
      let sum = 0;
      for (let i = 0; i <= 2 * reach; i++) sum += line[k + i];
      means[l * next + k * step] = sum / (2 * reach + 1);
    }
  }
  return means;
}
