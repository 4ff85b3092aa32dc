import { checkFields, expected } from "../errors.js";
import { portableExp } from "../numbers/exponential.js";
import { binEdges, binOf } from "./histogram.js";

/**
 * Values in the cells of a square between `from` and `to` on both axes: row by row, the lowest
 * first.
 */
export interface Grid {
  /** Cells in a row, and how many rows. */
  readonly width: number;
  readonly height: number;
  readonly from: number;
  readonly to: number;
  /** width×height: of cell (column, row) at [row · width + column]. */
  readonly values: ArrayLike<number>;
}

export interface Histogram2dOptions {
  /** Number of bins of equal width between `from` and `to`, on each axis. */
  readonly bins: number;
  readonly from: number;
  readonly to: number;
}

/** Counts of pairs; `to` itself is in the last bin, every other edge in the bin above it. */
export interface PairCounts extends Histogram2dOptions {
  /**
   * bins×bins, in the order of a {@link Grid}: the first of a pair gives the column, the second the
   * row.
   */
  readonly counts: Float64Array;
  /** How many pairs have a value that is smaller than `from` or larger than `to`. */
  readonly outside: number;
  /** How many pairs there were, those outside included. */
  readonly total: number;
}

export interface Histogram2d extends PairCounts {
  /** Counts as parts of `total`, by the area of a bin: integrates to 1 with what is outside. */
  readonly density: Grid & { readonly values: Float64Array };
}

/** A histogram of count×2 values. */
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
/** A histogram has all options of another one with the same bins. */
const histogramFields = ["counts", "density", "outside", "total"] as const;

/** Checks the options of a square; returns the edges of its bins. */
export function requireSquare(options: Histogram2dOptions): Float64Array {
  checkFields("the options", options, [
    ...optionFields,
    ...histogramFields.filter((field) => field in options),
  ]);
  return binEdges(options);
}

/** ∞ − ∞ is no number either, and yet a pair outside. */
function requireNumbers(pairs: ArrayLike<number>, i: number): void {
  for (const k of [i, i + 1]) {
    if (Number.isNaN(pairs[k])) throw expected(`pairs[${k}]`, "be a number", pairs[k]);
  }
}

/**
 * A density on a grid, smoothed so that its contour lines are: convolved with
 *
 *   w_k ∝ exp(−k² / 2s²),   |k| ≤ ⌈4s⌉,   Σ_k w_k = 1
 *
 * along rows and along columns, s in cells. Near the border fewer cells are averaged, to both sides
 * alike: contour lines would bend there otherwise. Whoever compares a smoothed histogram with a
 * model smooths both, for smoothing rounds every peak.
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
