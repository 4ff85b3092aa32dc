import { expected } from "../errors.js";
import { portableLog } from "../numbers/logarithm.js";
import { type Histogram, binEdge } from "./histogram.js";
import { type ReferenceDistribution, probabilityBetween } from "./reference-densities.js";

export interface Divergence {
  readonly inNats: number;
  /**
   * What a sample of this size from the expected distribution itself would give on average: (bins −
   * 1) / 2n.
   */
  readonly biasInNats: number;
  /** How many bins were compared: neighbours that are expected to be nearly empty count as one. */
  readonly bins: number;
}

/**
 * How far a histogram is from an expected distribution, in nats:
 *
 *   D = Σ_k (c_k / n) ln( (c_k / n) / p_k ),   p_k = P(edge_k < X ≤ edge_k+1)
 *
 *   symbol  meaning
 *   c_k     counts; what is below and above the bins is in two more
 *   n       their sum
 *   p_k     probability of the bin
 *
 * Neighbouring bins are merged until each is expected to hold `minimumExpected` values: only then
 * does D have the bias (bins − 1) / 2n (Miller 1955; n D is half of a χ² with bins − 1 degrees of
 * freedom).
 *
 * The bias is told beside D and not taken off, so that D is a divergence: never negative. With the
 * few bins of one axis it is mostly far smaller than D. `klDivergence2d`, of pairs, does it the
 * other way round: there are thousands of bins, a bias as large as D itself, and bits, as mutual
 * information has.
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
  // The divergence is not negative; its terms are, and rounding may leave −1e-17.
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
  // What is left at the end is too little for a bin of its own.
  if (merged.length === 0) return [open];
  const last = merged[merged.length - 1];
  last.count += open.count;
  last.probability += open.probability;
  return merged;
}

/** sup_x |F_n(x) − F(x)|, the Kolmogorov–Smirnov distance of a sample; sorts a copy of it. */
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
 * The same at the edges of a histogram's bins, for samples that are not kept: at most one bin's
 * share too small.
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
