import { checkFields, expected } from "../errors.js";
import { portableExp } from "../numbers/exponential.js";
import { type HistogramOptions, binEdges, binOf } from "./histogram.js";

/** Values in the cells of a square from `from` to `to` on both axes: row by row, lowest first. */
export interface Grid {
  /** Number of cells in a row, and number of rows. */
  readonly width: number;
  readonly height: number;
  readonly from: number;
  readonly to: number;
  /** width×height values: cell (column, row) at [row · width + column]. */
  readonly values: ArrayLike<number>;
}

/** The same bins on both axes. */
export type Histogram2dOptions = HistogramOptions;

/** Counts of pairs; `to` itself is in the last bin, every other edge in the bin above it. */
export interface PairCounts extends Histogram2dOptions {
  /** bins×bins counts, as in a {@link Grid}: a pair (x, y) is in column x and row y. */
  readonly counts: Float64Array;
  /** Number of pairs with a value below `from` or above `to`. */
  readonly outside: number;
  /** Number of pairs, including those outside. */
  readonly total: number;
}

export interface Histogram2d extends PairCounts {
  /** Counts / (total · area of a bin): integrates to the share of the pairs inside. */
  readonly density: Grid & { readonly values: Float64Array };
}

/** Returns a histogram of count×2 values. */
export function histogram2dOf(pairs: ArrayLike<number>, options: Histogram2dOptions): Histogram2d {
  const edges = requireSquare(options);
  const { bins, from, to } = options;
  if (pairs.length % 2 !== 0) throw expected("pairs", "hold two values each", pairs.length);
  const counts = new Float64Array(bins * bins);
  let outside = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const column = binOf(pairs[i], edges);
    const row = binOf(pairs[i + 1], edges);
    if (Number.isNaN(pairs[i] + pairs[i + 1])) requireNumbers(pairs, i);
    if (column < 0 || row < 0) outside++;
    else counts[row * bins + column]++;
  }
  const total = pairs.length / 2;
  const perSide = bins / (to - from);
  const densityOfOne = (perSide * perSide) / (total || 1);
  const values = counts.map((count) => count * densityOfOne);
  const density = { width: bins, height: bins, from, to, values };
  return { bins, from, to, counts, density, outside, total };
}

const optionFields = ["bins", "from", "to"] as const;
/** A histogram may serve as the options of another one with the same bins. */
const histogramFields = ["counts", "density", "outside", "total"] as const;

/** Checks the options and returns the edges of the bins. */
export function requireSquare(options: Histogram2dOptions): Float64Array {
  checkFields("the options", options, [
    ...optionFields,
    ...histogramFields.filter((field) => field in options),
  ]);
  return binEdges(options);
}

/** Checks each value: the sum ∞ − ∞ is NaN too, but such a pair only lies outside. */
function requireNumbers(pairs: ArrayLike<number>, i: number): void {
  for (const k of [i, i + 1]) {
    if (Number.isNaN(pairs[k])) throw expected(`pairs[${k}]`, "be a number", pairs[k]);
  }
}

/**
 * Smooths a density on a grid for its contour lines. Convolves it with
 *
 *   w_k ∝ exp(−k² / 2s²),   |k| ≤ ⌈4s⌉,   Σ_k w_k = 1
 *
 * along rows and along columns, s in cells. Near the border it averages fewer cells, as many on
 * either side, so that contour lines do not bend there. Smoothing lowers every peak: to compare a
 * histogram with a model, smooth both.
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

/** Weights w_0 … w_last, not normalised. */
function gaussianWeights(s: number): Float64Array {
  return Float64Array.from({ length: Math.ceil(4 * s) + 1 }, (_, k) =>
    k === 0 ? 1 : portableExp(-(k * k) / (2 * s * s)),
  );
}

/** Lines of `length` values, `step` apart; the next line starts `to` values later. */
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
