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
  /** Counts as parts of `total`, by the width of a bin: integrates to 1 with what is outside. */
  readonly density: Float64Array;
  /** How many values are smaller than `from`, and larger than `to`. */
  readonly below: number;
  readonly above: number;
  /** How many values there were, those outside included. */
  readonly total: number;
}

/** The lower edge of bin k, which is the upper edge of bin k − 1. */
export function binEdge({ bins, from, to }: HistogramOptions, k: number): number {
  return k === bins ? to : from + ((to - from) * k) / bins;
}

export function histogramOf(values: ArrayLike<number>, options: HistogramOptions): Histogram {
  return new HistogramAccumulator(options).add(values).histogram();
}

/** A histogram of values that come in batches: it keeps the counts only. */
export class HistogramAccumulator {
  readonly #options: HistogramOptions;
  readonly #edges: Float64Array;
  readonly #counts: Float64Array;
  #below = 0;
  #above = 0;
  #total = 0;

  constructor({ bins, from, to }: HistogramOptions) {
    if (!Number.isInteger(bins) || bins < 1) throw expected("bins", "be a positive integer", bins);
    if (!Number.isFinite(from)) throw expected("from", "be a finite number", from);
    if (!(Number.isFinite(to) && to > from)) throw expected("to", `be larger than ${from}`, to);
    this.#options = { bins, from, to };
    this.#edges = Float64Array.from({ length: bins + 1 }, (_, k) => binEdge(this.#options, k));
    this.#counts = new Float64Array(bins);
  }

  add(values: ArrayLike<number>): this {
    const { bins, from, to } = this.#options;
    const binsPerUnit = bins / (to - from);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value < from) this.#below++;
      else if (value > to) this.#above++;
      else if (Number.isNaN(value)) throw expected(`values[${i}]`, "be a number", value);
      else this.#counts[this.#binOf(value, Math.floor((value - from) * binsPerUnit))]++;
      this.#total++;
    }
    return this;
  }

  /** The counts so far; later values do not change it. */
  histogram(): Histogram {
    const { bins, from, to } = this.#options;
    const counts = this.#counts.slice();
    const [below, above, total] = [this.#below, this.#above, this.#total];
    const densityOfOne = bins / ((to - from) * (total || 1));
    const density = counts.map((count) => count * densityOfOne);
    return { bins, from, to, counts, density, below, above, total };
  }

  /** The product above is rounded: next to an edge it may be one bin off. The edges themselves decide. */
  #binOf(value: number, guess: number): number {
    const last = this.#options.bins - 1;
    let k = Math.min(last, guess);
    if (k > 0 && value < this.#edges[k]) k--;
    else if (k < last && value >= this.#edges[k + 1]) k++;
    return k;
  }
}
