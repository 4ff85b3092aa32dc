import { checkFields, expected } from "../errors.js";
import { portableLog } from "../numbers/logarithm.js";
import { type GridRectangle, summedArea } from "../numbers/summed-area.js";
import type { Grid, PairCounts } from "./histogram-2d.js";

export interface Divergence2d {
  /**
   * The bias is taken off: of samples of the density itself it is 0 on average, and may be
   * negative. Infinity where pairs were counted in a bin that has no probability.
   */
  readonly inBits: number;
  /**
   * What a sample of this size from the density itself would give on average otherwise: B in bits.
   */
  readonly biasInBits: number;
  /** How many bins were compared: what is expected to be nearly empty was merged. */
  readonly bins: number;
  /** How probable pairs outside the grid are by the density, and how frequent they were. */
  readonly outside: { readonly expected: number; readonly observed: number };
}

export interface Divergence2dOptions {
  /**
   * Pairs that a rectangle of merged bins is expected to hold at least, by `partition`; default 5.
   */
  readonly minimumExpected?: number;
  /**
   * The density, on the same grid, that decides how bins are merged; by default the one that is
   * compared. Divergences of several densities from one histogram can only be compared with each
   * other where all have the same partition: their mean, or one of them.
   */
  readonly partition?: Grid;
}

/**
 * How far pairs are from a density, by their histogram, in bits:
 *
 *   D = Σ_k (c_k / n) log₂( (c_k / n) / p_k ) − B / ln 2,
 *   B = (K − 1) / 2n + (Σ_k 1/q_k − 1) / 12n²
 *
 *   symbol  meaning
 *   c_k     counts of K bins; one of them is what is outside
 *   n       their sum
 *   p_k     probability of the bin: the density's mean over it (`densityOnGrid`) times its area
 *   q_k     the same of `partition`; p_k by default
 *
 * Bins are merged to rectangles in which q expects `minimumExpected` pairs or more: only then has
 * the sum the bias B that is taken off (Miller 1955; the second term, a few hundredths of the
 * first, after Williams 1976). B is that of the entropy of the counts, whatever they are compared
 * with: with a common partition the difference of two divergences is Σ_k (c_k / n) log₂(p'_k /
 * p_k), without any bias. What differs within a bin is not seen: D is the divergence of the
 * densities, or less.
 *
 * `klDivergence`, of single values, is in nats, tells its bias beside D and is never negative. Here
 * the bias of thousands of bins would be as large as D, and a mean over images must not keep it: it
 * is taken off, and D is not clamped at 0, which would raise the mean again.
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
  // All would be merged with what is outside, and nothing left to compare.
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

/** Infinite where something was counted that cannot be: no density is farther from the pairs. */
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
  /** Of all cells together, and of what is outside them. */
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
  // What the sum may round off is no probability.
  const isNothing = 1 - within <= ofCells.length * Number.EPSILON;
  return { ofCells, within, beyond: isNothing ? 0 : 1 - within };
}

/** What is too rare for a bin of its own is added to the least probable one. */
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
  /** By the density that is compared. */
  readonly probability: number;
  /** By the density that decides what is merged. */
  readonly deciding: number;
}

type MassOf = (rectangle: GridRectangle) => number;

/**
 * Cuts the square again and again, across the longer side and as near to equal halves of
 * probability as the cells allow, as long as both parts keep `least`: by the probabilities
 * `deciding`, not by those of the density that is compared. So the rectangles depend on what is
 * expected, not on what was counted.
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
      const count = sumOver(open, counts, bins);
      merged.push({
        count,
        probability: sumOver(open, probabilities, bins),
        deciding: massOf(open),
      });
    }
  }
  return merged;
}

function partsOf(whole: GridRectangle, massOf: MassOf, least: number): GridRectangle[] | undefined {
  const { left, right, top, bottom } = whole;
  const acrossColumns = (): GridRectangle[] | undefined => {
    const partsAt = (at: number) => [
      { ...whole, right: at },
      { ...whole, left: at },
    ];
    return nearestToHalves(partsAt, left, right, massOf, least);
  };
  const acrossRows = (): GridRectangle[] | undefined => {
    const partsAt = (at: number) => [
      { ...whole, bottom: at },
      { ...whole, top: at },
    ];
    return nearestToHalves(partsAt, top, bottom, massOf, least);
  };
  return right - left >= bottom - top
    ? (acrossColumns() ?? acrossRows())
    : (acrossRows() ?? acrossColumns());
}

function nearestToHalves(
  partsAt: (at: number) => GridRectangle[],
  from: number,
  to: number,
  massOf: MassOf,
  least: number,
): GridRectangle[] | undefined {
  let best: { readonly parts: GridRectangle[]; readonly smaller: number } | undefined;
  for (let at = from + 1; at < to; at++) {
    const parts = partsAt(at);
    const smaller = Math.min(...parts.map(massOf));
    if (smaller >= least && smaller > (best?.smaller ?? 0)) best = { parts, smaller };
  }
  return best?.parts;
}

/**
 * Cell by cell: differences of sums would leave 1e-17 where there is nothing, or less than nothing.
 */
function sumOver({ left, right, top, bottom }: GridRectangle, values: Float64Array, bins: number) {
  let sum = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) sum += values[row * bins + column];
  }
  return sum;
}
