import { checkFields, expected } from "../errors.js";
import { portableLog } from "../numbers/logarithm.js";
import { type GridRectangle, summedArea } from "../numbers/summed-area.js";
import type { Grid, PairCounts } from "./histogram-2d.js";

export interface Divergence2d {
  /**
   * D with the bias subtracted: 0 on average for samples of the density itself, so it can be
   * negative. Infinity if pairs were counted in a bin of probability 0.
   */
  readonly inBits: number;
  /** B in bits: the mean of D, without correction, for samples of the density itself. */
  readonly biasInBits: number;
  /** Number of bins compared, after nearly empty ones are merged. */
  readonly bins: number;
  /** Probability of pairs outside the grid by the density, and their observed frequency. */
  readonly outside: { readonly expected: number; readonly observed: number };
}

export interface Divergence2dOptions {
  /** Least number of pairs that `partition` expects in a rectangle of merged bins; default 5. */
  readonly minimumExpected?: number;
  /**
   * The density, on the same grid, that decides how bins are merged; by default the density that is
   * compared. To compare several densities with one histogram, use the same partition for all:
   * their mean, or one of them.
   */
  readonly partition?: Grid;
}

/**
 * Kullback–Leibler divergence of a histogram of pairs from a density, in bits:
 *
 *   D = Σ_k (c_k / n) log₂( (c_k / n) / p_k ) − B / ln 2,
 *   B = (K − 1) / 2n + (Σ_k 1/q_k − 1) / 12n²
 *
 *   symbol  meaning
 *   c_k     counts of K bins; one of them holds the pairs outside
 *   n       their sum
 *   p_k     probability of the bin: the density's mean over it (`densityOnGrid`) times its area
 *   q_k     probability of the bin by `partition`; p_k by default
 *
 * Bins are merged to rectangles in which q expects `minimumExpected` pairs or more: only then does
 * the sum have the bias B (Miller 1955; the second term, a few hundredths of the first, after
 * Williams 1976). B is the bias of the entropy of the counts, whatever they are compared with: with
 * a common partition, the difference of two divergences is Σ_k (c_k / n) log₂(p'_k / p_k), without
 * bias. Differences within a bin are invisible: D is at most the divergence of the densities.
 *
 * Unlike `klDivergence`, this subtracts the bias, which for thousands of bins is as large as D, and
 * does not clamp D at 0: either would distort a mean over images.
 */
export function klDivergence2d(
  histogram: PairCounts,
  density: Grid,
  options: Divergence2dOptions = {},
): Divergence2d {
  checkFields("the options", options, ["minimumExpected", "partition"]);
  const { minimumExpected = 5, partition = density } = options;
  const { total: n, outside } = histogram;
  if (n === 0) throw expected("the histogram", "hold pairs", 0);
  if (!(minimumExpected > 0)) {
    throw expected("minimumExpected", "be a positive number", minimumExpected);
  }
  const least = minimumExpected / n;
  const own = massOnGrid(density, histogram, "density");
  const deciding = partition === density ? own : massOnGrid(partition, histogram, "partition");
  // Otherwise all bins would be merged into one, with nothing to compare.
  if (deciding.within < least) {
    const name = partition === density ? "density" : "partition";
    throw expected(name, `have a mass of ${least} on its grid`, deciding.within);
  }
  const inside = mergedRectangles(histogram, own.ofCells, deciding.ofCells, least);
  const beyond = { count: outside, probability: own.beyond, deciding: deciding.beyond };
  const bins = withOutside(inside, beyond, least);
  const bias = biasInNats(bins, n);
  return {
    inBits: (divergenceInNats(bins, n) - bias) / Math.LN2,
    biasInBits: bias / Math.LN2,
    bins: bins.length,
    outside: { expected: own.beyond, observed: outside / n },
  };
}

/** Infinite if pairs were counted in a bin of probability 0. */
function divergenceInNats(bins: readonly Bin[], n: number): number {
  let sum = 0;
  for (const { count, probability } of bins) {
    if (count === 0) continue;
    if (probability === 0) return Infinity;
    sum += (count / n) * portableLog(count / n / probability);
  }
  return sum;
}

function biasInNats(bins: readonly Bin[], n: number): number {
  const reciprocals = bins.reduce((sum, { deciding }) => sum + 1 / deciding, 0);
  return (bins.length - 1) / (2 * n) + (reciprocals - 1) / (12 * n * n);
}

interface Mass {
  /** Probabilities of the cells. */
  readonly ofCells: Float64Array;
  /** Probability of all cells together, and of the outside. */
  readonly within: number;
  readonly beyond: number;
}

function massOnGrid({ values, ...grid }: Grid, histogram: PairCounts, name: string): Mass {
  const { bins, from, to } = histogram;
  if (grid.width !== bins || grid.height !== bins || grid.from !== from || grid.to !== to) {
    const given = `${grid.width}×${grid.height} bins from ${grid.from} to ${grid.to}`;
    throw expected(name, `have the ${bins}×${bins} bins from ${from} to ${to}`, given);
  }
  const side = (to - from) / bins;
  const ofCells = Float64Array.from({ length: bins * bins }, (_, k) => {
    if (!(values[k] >= 0)) throw expected(`values[${k}] of ${name}`, "be 0 or more", values[k]);
    return values[k] * side * side;
  });
  const within = ofCells.reduce((sum, p) => sum + p, 0);
  // Quadrature errs by less than a hundredth unless bins are much wider than the density.
  if (within > 1.01) throw expected(name, "integrate to 1 or less over its grid", within);
  // A difference within rounding is no probability.
  const isNothing = 1 - within <= ofCells.length * Number.EPSILON;
  return { ofCells, within, beyond: isNothing ? 0 : 1 - within };
}

/** Adds the pairs outside as a bin of their own, or to the least probable bin if they are rare. */
function withOutside(inside: readonly Bin[], beyond: Bin, least: number): Bin[] {
  if (beyond.deciding >= least) return [...inside, beyond];
  const rarest = inside.reduce((a, b) => (b.deciding < a.deciding ? b : a));
  return inside.map((bin) => (bin === rarest ? joined(bin, beyond) : bin));
}

function joined(a: Bin, b: Bin): Bin {
  return {
    count: a.count + b.count,
    probability: a.probability + b.probability,
    deciding: a.deciding + b.deciding,
  };
}

interface Bin {
  readonly count: number;
  /** Probability by the density that is compared. */
  readonly probability: number;
  /** Probability by the density that decides how bins are merged. */
  readonly deciding: number;
}

type MassOf = (rectangle: GridRectangle) => number;

/**
 * Cuts the square repeatedly, across the longer side, into parts as equal in probability as the
 * cells allow, while both parts keep `least`. Probabilities are those of `deciding`, so that the
 * rectangles do not depend on the counts.
 */
function mergedRectangles(
  { bins, counts }: PairCounts,
  probabilities: Float64Array,
  deciding: Float64Array,
  least: number,
): Bin[] {
  const massOf = summedArea(bins, bins, (sum, x, y) => sum + deciding[y * bins + x]);
  const merged: Bin[] = [];
  const waiting: GridRectangle[] = [{ left: 0, right: bins, top: 0, bottom: bins }];
  for (let open = waiting.pop(); open; open = waiting.pop()) {
    const parts = partsOf(open, massOf, least);
    if (parts) waiting.push(...parts);
    else {
      const [count, probability] = [counts, probabilities].map((of) => sumOver(open, of, bins));
      merged.push({ count, probability, deciding: massOf(open) });
    }
  }
  return merged;
}

function partsOf(whole: GridRectangle, massOf: MassOf, least: number): GridRectangle[] | undefined {
  const { left, right, top, bottom } = whole;
  const cut = (low: "left" | "top", high: "right" | "bottom") =>
    nearestToHalves(whole, low, high, massOf, least);
  return right - left >= bottom - top
    ? (cut("left", "right") ?? cut("top", "bottom"))
    : (cut("top", "bottom") ?? cut("left", "right"));
}

/** Cuts between the sides `low` and `high`; undefined if no cut leaves `least` to both parts. */
function nearestToHalves(
  whole: GridRectangle,
  low: "left" | "top",
  high: "right" | "bottom",
  massOf: MassOf,
  least: number,
): GridRectangle[] | undefined {
  let best: { readonly parts: GridRectangle[]; readonly smaller: number } | undefined;
  for (let at = whole[low] + 1; at < whole[high]; at++) {
    const parts = [
      { ...whole, [high]: at },
      { ...whole, [low]: at },
    ];
    const smaller = Math.min(...parts.map(massOf));
    if (smaller >= least && smaller > (best?.smaller ?? 0)) best = { parts, smaller };
  }
  return best?.parts;
}

/** Sums cell by cell: differences of cumulative sums would leave ±1e-17 for empty rectangles. */
function sumOver({ left, right, top, bottom }: GridRectangle, values: Float64Array, bins: number) {
  let sum = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) sum += values[row * bins + column];
  }
  return sum;
}
