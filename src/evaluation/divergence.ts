import { expected } from "../errors.js";
import { portableLog } from "../numbers/logarithm.js";
import { type Histogram, binEdge } from "./histogram.js";
import { type ReferenceDistribution, probabilityBetween } from "./reference-densities.js";

export interface Divergence {
  readonly inNats: number;
  /** Mean divergence of a sample of this size from the distribution itself: (bins − 1) / 2n. */
  readonly biasInNats: number;
  /** Number of bins compared, after nearly empty neighbours are merged. */
  readonly bins: number;
}

/**
 * Kullback–Leibler divergence of a histogram from a distribution, in nats:
 *
 *   D = Σ_k (c_k / n) ln( (c_k / n) / p_k ),   p_k = P(edge_k < X ≤ edge_k+1)
 *
 *   symbol  meaning
 *   c_k     counts, including two more bins for the values below and above
 *   n       their sum
 *   p_k     probability of the bin
 *
 * Neighbouring bins are merged until each is expected to hold `minimumExpected` values: only then
 * does D have the bias (bins − 1) / 2n (Miller 1955; n D is half of a χ² with bins − 1 degrees of
 * freedom).
 *
 * The bias is returned beside D and not subtracted, so that D is never negative. With the few bins
 * of one axis it is usually far smaller than D. `klDivergence2d` subtracts it: there, with
 * thousands of bins, the bias is as large as D.
 */
export function klDivergence(
  histogram: Histogram,
  distribution: ReferenceDistribution,
  { minimumExpected = 5 }: { readonly minimumExpected?: number } = {},
): Divergence {
  const n = requireValues(histogram.total, "the histogram");
  const merged = mergedBins(histogram, distribution, minimumExpected);
  let sum = 0;
  for (const { count, probability } of merged) {
    if (count > 0) sum += (count / n) * portableLog(count / n / probability);
  }
  // Single terms can be negative, and rounding may leave −1e-17 of their sum.
  return {
    inNats: Math.max(0, sum),
    biasInNats: (merged.length - 1) / (2 * n),
    bins: merged.length,
  };
}

interface Bin {
  count: number;
  probability: number;
}

function mergedBins(
  histogram: Histogram,
  distribution: ReferenceDistribution,
  minimumExpected: number,
): Bin[] {
  const { bins, counts, below, above, total } = histogram;
  const between = (a: number, b: number): number => probabilityBetween(distribution, a, b);
  const edge = (k: number): number => binEdge(histogram, k);
  const all: Bin[] = [
    { count: below, probability: distribution.cdf(edge(0)) },
    ...Array.from(counts, (count, k) => ({ count, probability: between(edge(k), edge(k + 1)) })),
    { count: above, probability: distribution.survival(edge(bins)) },
  ];
  const merged: Bin[] = [];
  let open: Bin = { count: 0, probability: 0 };
  for (const { count, probability } of all) {
    open = { count: open.count + count, probability: open.probability + probability };
    if (open.probability * total < minimumExpected) continue;
    merged.push(open);
    open = { count: 0, probability: 0 };
  }
  // The remainder is too small for a bin of its own.
  if (merged.length === 0) return [open];
  const last = merged[merged.length - 1];
  last.count += open.count;
  last.probability += open.probability;
  return merged;
}

/** The Kolmogorov–Smirnov distance sup_x |F_n(x) − F(x)| of a sample. */
export function kolmogorovSmirnov(
  values: ArrayLike<number>,
  { cdf }: ReferenceDistribution,
): number {
  const n = requireValues(values.length, "values");
  const sorted = Float64Array.from(values).sort();
  let largest = 0;
  for (let i = 0; i < n; i++) {
    const p = cdf(sorted[i]);
    largest = Math.max(largest, p - i / n, (i + 1) / n - p);
  }
  return largest;
}

/**
 * The Kolmogorov–Smirnov distance at the edges of a histogram's bins, for samples that are not
 * kept. It is too small by at most the share of one bin.
 */
export function kolmogorovSmirnovAtEdges(
  histogram: Histogram,
  { cdf }: ReferenceDistribution,
): number {
  const { bins, counts, below, total } = histogram;
  requireValues(total, "the histogram");
  let [largest, sum] = [0, below];
  for (let k = 0; k <= bins; k++) {
    largest = Math.max(largest, Math.abs(sum / total - cdf(binEdge(histogram, k))));
    sum += counts[k] ?? 0;
  }
  return largest;
}

function requireValues(count: number, what: string): number {
  if (count === 0) throw expected(what, "hold values", 0);
  return count;
}
