import { expected } from "../errors.js";

export interface HistogramOptions {
  /** Number of bins of equal width between `from` and `to`. */
  readonly bins: number;
  readonly from: number;
  readonly to: number;
}

/** Counts of values; `to` itself is in the last bin, every other edge in the bin above it. */
export interface Histogram extends HistogramOptions {
  readonly counts: Float64Array;
  /** Counts / (total · width of a bin): integrates to the share of the values inside. */
  readonly density: Float64Array;
  /** Number of values below `from`. */
  readonly below: number;
  /** Number of values above `to`. */
  readonly above: number;
  /** Number of values, including those outside. */
  readonly total: number;
}

/** The lower edge of bin k, which is the upper edge of bin k − 1. */
export function binEdge({ bins, from, to }: HistogramOptions, k: number): number {
  return k === bins ? to : from + ((to - from) * k) / bins;
}

/** Checks the bins and returns their edges. */
export function binEdges(options: HistogramOptions): Float64Array {
  const { bins, from, to } = options;
  if (!Number.isInteger(bins) || bins < 1) throw expected("bins", "be a positive integer", bins);
  if (!Number.isFinite(from)) throw expected("from", "be a finite number", from);
  if (!(Number.isFinite(to) && to > from)) throw expected("to", `be larger than ${from}`, to);
  return Float64Array.from({ length: bins + 1 }, (_, k) => binEdge(options, k));
}

/** The bin of a value; −1 outside. Compares with the edges, since the quotient is rounded. */
export function binOf(value: number, edges: Float64Array): number {
  const last = edges.length - 2;
  const [from, to] = [edges[0], edges[last + 1]];
  if (!(value >= from && value <= to)) return -1;
  let k = Math.min(last, Math.floor(((value - from) * (last + 1)) / (to - from)));
  if (k > 0 && value < edges[k]) k--;
  else if (k < last && value >= edges[k + 1]) k++;
  return k;
}

/** Counts values in bins of equal width. */
export function histogramOf(values: ArrayLike<number>, options: HistogramOptions): Histogram {
  return new HistogramAccumulator(options).add(values).histogram();
}

/** A histogram of values that come in batches. */
export class HistogramAccumulator {
  private readonly edges: Float64Array;
  private readonly counts: Float64Array;
  private below = 0;
  private above = 0;
  private total = 0;

  constructor(private readonly options: HistogramOptions) {
    this.edges = binEdges(options);
    this.counts = new Float64Array(options.bins);
  }

  add(values: ArrayLike<number>): this {
    const { from, to } = this.options;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value < from) this.below++;
      else if (value > to) this.above++;
      else if (Number.isNaN(value)) throw expected(`values[${i}]`, "be a number", value);
      else this.counts[binOf(value, this.edges)]++;
      this.total++;
    }
    return this;
  }

  /** Returns a copy of the counts so far. */
  histogram(): Histogram {
    const { bins, from, to } = this.options;
    const counts = this.counts.slice();
    const [below, above, total] = [this.below, this.above, this.total];
    const densityOfOne = bins / ((to - from) * (total || 1));
    const density = counts.map((count) => count * densityOfOne);
    return { bins, from, to, counts, density, below, above, total };
  }
}
