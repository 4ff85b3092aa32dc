/**
 * Trust in the last round, pixel by pixel. Its densities know photographs only. There they change
 * their guide by a fraction of the noise. A larger change means that they do not know a structure
 * that the similar patches of the picture have shown, so the guide is kept:
 *
 *   d² = mean of (x̂ − g)²/σ² over the window of a pixel,   result = g + w(d²) (x̂ − g)
 *
 *   symbol  meaning
 *   g, x̂    the guide, and the estimate of the last round
 *   w       1 up to a trusted d², 0 beyond a larger one, linear in between
 */
import type { GreyImage } from "../../images/grey-image.js";
import { square } from "../../numbers/square.js";

/** Pixels of the window on each side of its middle. */
const reach = 4;
/** Values of d² up to which a change is trusted, and beyond which it is not. */
const trusted = 0.02;
const distrusted = 0.06;

/** Returns the estimate where it changes the guide little, and the guide elsewhere. */
export function trustedChange(guide: GreyImage, estimate: GreyImage, sigma: number): GreyImage {
  const { width, height } = guide;
  const change = guide.pixels.map((value, k) => (estimate.pixels[k] - value) / sigma);
  const sums = windowMeans(windowMeans(change.map(square), height, width, 1), width, height, width);
  const pixels = guide.pixels.map((value, k) => value + sigma * weightOf(sums[k]) * change[k]);
  return { width, height, pixels };
}

function weightOf(change: number): number {
  return Math.min(1, Math.max(0, (distrusted - change) / (distrusted - trusted)));
}

/**
 * Returns means over windows along lines of `length` values, `step` apart; edges end windows.
 */
function windowMeans(
  values: Float32Array,
  lines: number,
  length: number,
  step: number,
): Float32Array {
  const means = new Float32Array(values.length);
  const between = step === 1 ? length : 1;
  for (let line = 0; line < lines; line++) {
    for (let k = 0; k < length; k++) {
      const [first, last] = [Math.max(0, k - reach), Math.min(length - 1, k + reach)];
      let sum = 0;
      for (let j = first; j <= last; j++) sum += values[line * between + j * step];
      means[line * between + k * step] = sum / (last - first + 1);
    }
  }
  return means;
}
