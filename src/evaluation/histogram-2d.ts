import { checkFields, expected } from "../errors.js";
import { binEdge } from "./histogram.js";

/** Values in the cells of a square between `from` and `to` on both axes: row by row, the lowest first. */
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
  /** bins×bins, in the order of a {@link Grid}: the first of a pair gives the column, the second the row. */
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
  requireSquare(options);
  const { bins, from, to } = options;
  if (pairs.length % 2 !== 0) throw expected("pairs", "hold two values each", pairs.length);
  const edges = Float64Array.from({ length: bins + 1 }, (_, k) => binEdge({ bins, from, to }, k));
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

const optionFields: readonly (keyof Histogram2dOptions)[] = ["bins", "from", "to"];
/** A histogram has all options of another one with the same bins. */
const histogramFields: readonly (keyof Histogram2d)[] = ["counts", "density", "outside", "total"];

export function requireSquare(options: Histogram2dOptions): void {
  checkFields("the options", options, [
    ...optionFields,
    ...histogramFields.filter((field) => field in options),
  ]);
  const { bins, from, to } = options;
  if (!Number.isInteger(bins) || bins < 1) throw expected("bins", "be a positive integer", bins);
  if (!Number.isFinite(from)) throw expected("from", "be a finite number", from);
  if (!(Number.isFinite(to) && to > from)) throw expected("to", `be larger than ${from}`, to);
}

/** ∞ − ∞ is no number either, and yet a pair outside. */
function requireNumbers(pairs: ArrayLike<number>, i: number): void {
  for (const k of [i, i + 1]) {
    if (Number.isNaN(pairs[k])) throw expected(`pairs[${k}]`, "be a number", pairs[k]);
  }
}

/** −1 outside. A rounded product may be one bin off next to an edge: the edges themselves decide. */
function binOf(value: number, edges: Float64Array): number {
  const last = edges.length - 2;
  const [from, to] = [edges[0], edges[last + 1]];
  if (!(value >= from && value <= to)) return -1;
  let k = Math.min(last, Math.floor(((value - from) * (last + 1)) / (to - from)));
  if (k > 0 && value < edges[k]) k--;
  else if (k < last && value >= edges[k + 1]) k++;
  return k;
}
