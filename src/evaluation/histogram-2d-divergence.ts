import { expected } from "../errors.js";
import { portableLog } from "../random/portable-math.js";
import { type Bin, mergedRectangles } from "./histogram-2d-rectangles.js";
import type { Grid, Histogram2d } from "./histogram-2d.js";

export interface Divergence2d {
  /** The bias is taken off: of samples of the density itself it is 0 on average, and may be negative. */
  readonly inBits: number;
  /** What a sample of this size from the density itself would give on average otherwise: B in bits. */
  readonly biasInBits: number;
  /** How many bins were compared: what is expected to be nearly empty was merged. */
  readonly bins: number;
  /** How probable pairs outside the grid are by the density, and how frequent they were. */
  readonly outside: { readonly expected: number; readonly observed: number };
}

/**
 * How far pairs are from a density, by their histogram, in bits:
 *
 *   D = Σ_k (c_k / n) log₂( (c_k / n) / p_k ) − B / ln 2,   B = (K − 1) / 2n + (Σ_k 1/p_k − 1) / 12n²
 *
 *   symbol  meaning
 *   c_k     counts of K bins; one of them is what is outside
 *   n       their sum
 *   p_k     probability of the bin: the density's mean over it (`densityOnGrid`) times its area
 *
 * Bins are merged to rectangles that are expected to hold `minimumExpected` pairs or more: only then has the sum the
 * bias B that is taken off (Miller 1955; the second term, a few hundredths of the first, after Williams 1976). What
 * differs within a bin is not seen: D is the divergence of the densities, or less.
 */
export function klDivergence2d(
  histogram: Histogram2d,
  density: Grid,
  { minimumExpected = 5 }: { readonly minimumExpected?: number } = {},
): Divergence2d {
  const { total: n, outside } = histogram;
  if (n === 0) throw expected("the histogram", "hold pairs", 0);
  if (!(minimumExpected > 0)) {
    throw expected("minimumExpected", "be a positive number", minimumExpected);
  }
  const probabilities = probabilitiesOf(density, histogram);
  const within = probabilities.reduce((sum, p) => sum + p, 0);
  requireMass(within, minimumExpected / n);
  const beyond = { count: outside, probability: Math.max(0, 1 - within) };
  const inside = mergedRectangles(histogram, probabilities, minimumExpected / n);
  const bins = withOutside(inside, beyond, minimumExpected / n);
  const bias = biasInNats(bins, n);
  return {
    inBits: (divergenceInNats(bins, n) - bias) / Math.LN2,
    biasInBits: bias / Math.LN2,
    bins: bins.length,
    outside: { expected: beyond.probability, observed: outside / n },
  };
}

function divergenceInNats(bins: readonly Bin[], n: number): number {
  let sum = 0;
  for (const { count, probability } of bins) {
    if (count > 0) sum += (count / n) * portableLog(count / n / probability);
  }
  return sum;
}

function biasInNats(bins: readonly Bin[], n: number): number {
  const reciprocals = bins.reduce((sum, { probability }) => sum + 1 / probability, 0);
  return (bins.length - 1) / (2 * n) + (reciprocals - 1) / (12 * n * n);
}

function probabilitiesOf({ values, ...grid }: Grid, histogram: Histogram2d): Float64Array {
  const { bins, from, to } = histogram;
  if (grid.width !== bins || grid.height !== bins || grid.from !== from || grid.to !== to) {
    const given = `${grid.width}×${grid.height} bins from ${grid.from} to ${grid.to}`;
    throw expected("density", `have the ${bins}×${bins} bins from ${from} to ${to}`, given);
  }
  const area = ((to - from) / bins) ** 2;
  return Float64Array.from({ length: bins * bins }, (_, k) => {
    if (!(values[k] >= 0)) throw expected(`values[${k}] of density`, "be 0 or more", values[k]);
    return values[k] * area;
  });
}

/** Quadrature errs by less than a hundredth unless bins are much wider than the density. */
function requireMass(within: number, least: number): void {
  if (within > 1.01) throw expected("density", "integrate to 1 or less over its grid", within);
  // All would be merged with what is outside, and nothing left to compare.
  if (within < least) throw expected("density", `have a mass of ${least} on its grid`, within);
}

/** What is too rare for a bin of its own is added to the least probable one. */
function withOutside(inside: readonly Bin[], beyond: Bin, least: number): Bin[] {
  if (beyond.probability >= least) return [...inside, beyond];
  const rarest = inside.reduce((a, b) => (b.probability < a.probability ? b : a));
  return inside.map(({ count, probability }, k) =>
    inside[k] === rarest
      ? { count: count + beyond.count, probability: probability + beyond.probability }
      : { count, probability },
  );
}
