import { expected } from "../errors.js";
import { portableExp } from "../numbers/exponential.js";
import type { Grid } from "./histogram-2d.js";

/**
 * A density on a grid, smoothed so that its contour lines are: convolved with
 *
 *   w_k ∝ exp(−k² / 2s²),   |k| ≤ ⌈4s⌉,   Σ_k w_k = 1
 *
 * along rows and along columns, s in cells. Near the border fewer cells are averaged, to both sides alike: contour lines
 * would bend there otherwise. Whoever compares a smoothed histogram with a model smooths both, for smoothing rounds
 * every peak.
 */
export function smoothed(
  grid: Grid,
  standardDeviationInBins: number,
): Grid & { readonly values: Float64Array } {
  const s = standardDeviationInBins;
  if (!(Number.isFinite(s) && s >= 0)) {
    throw expected("standardDeviationInBins", "be a number from 0", s);
  }
  const { width, height, from, to } = grid;
  const values = Float64Array.from(grid.values);
  if (values.length !== width * height) {
    throw expected("values", `hold ${width * height} values (${width}×${height})`, values.length);
  }
  const weights = gaussianWeights(s);
  const alongRows = convolved(values, weights, {
    length: width,
    step: 1,
    lines: height,
    to: width,
  });
  const both = convolved(alongRows, weights, { length: height, step: width, lines: width, to: 1 });
  return { width, height, from, to, values: both };
}

/** From the middle to the last; their sum is divided by where they are used. */
function gaussianWeights(s: number): Float64Array {
  return Float64Array.from({ length: Math.ceil(4 * s) + 1 }, (_, k) =>
    k === 0 ? 1 : portableExp(-(k * k) / (2 * s * s)),
  );
}

/** Lines of `length` values, `step` apart; from one line to the next it is `to` values. */
interface Lines {
  readonly length: number;
  readonly step: number;
  readonly lines: number;
  readonly to: number;
}

function convolved(
  values: Float64Array,
  weights: Float64Array,
  { length, step, lines, to }: Lines,
): Float64Array {
  const out = new Float64Array(values.length);
  for (let line = 0; line < lines; line++) {
    for (let k = 0; k < length; k++) {
      const at = line * to + k * step;
      const reach = Math.min(weights.length - 1, k, length - 1 - k);
      let [sum, weight] = [weights[0] * values[at], weights[0]];
      for (let d = 1; d <= reach; d++) {
        sum += weights[d] * (values[at - d * step] + values[at + d * step]);
        weight += 2 * weights[d];
      }
      out[at] = sum / weight;
    }
  }
  return out;
}
