/**
 * Mutual information from distances of nearest neighbours (Kraskov, Stögbauer & Grassberger 2004,
 * "Estimating mutual information", algorithm 1, eq. (8), maximum norm):
 *
 *   I = ψ(k) + ψ(n) − mean_i( ψ(n_x(i) + 1) + ψ(n_y(i) + 1) )
 *
 *   symbol    variable              meaning
 *   k         neighbours            the k-th nearest neighbour of pair i is at distance d_i, by
 *                                   max(|x_j − x_i|, |y_j − y_i|)
 *   n         count                 pairs
 *   n_x, n_y  nearFirst, nearSecond number of other values of a coordinate nearer than d_i
 *   ψ(m)      harmonic[m − 1]       ψ(m) = 1 + 1/2 + … + 1/(m − 1) − Euler's constant, which
 *                                   cancels here
 *
 * Deviation from the paper: x and y are first replaced by their normal scores, the quantiles of the
 * standard normal distribution at their ranks. No monotone map of a coordinate changes the mutual
 * information, nor a bit of this estimate; without the scores, neighbours in heavy tails are far
 * away and the estimate is poor. Ties are broken at random (ranks.ts). Cost: O(n log n), and as
 * much again for each group.
 */
import { expected } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { checkFields } from "../../transforms/checks.js";
import { errorOfMean, jackknifeError, meanOf } from "../../numbers/means.js";
import { type PairInformation, groupBounds } from "./groups.js";
import { neighbourDistances } from "./neighbour-distances.js";
import { normalScores, ranksOf } from "./ranks.js";

export interface NearestNeighbourOptions {
  /** k, default 4; a larger k lowers the variance and raises the bias. */
  readonly neighbours?: number;
  /** Sizes of groups of consecutive pairs that come from one image; default 1 for every pair. */
  readonly groups?: ArrayLike<number>;
}

/** Estimates the mutual information of `pairs` x0, y0, x1, y1 … */
export function nearestNeighbourInformation(
  pairs: FloatArray,
  options: NearestNeighbourOptions = {},
): PairInformation {
  checkFields("the options of nearestNeighbourInformation", options, ["neighbours", "groups"]);
  const { neighbours = 4, groups } = options;
  if (!Number.isInteger(neighbours) || neighbours < 1) {
    throw expected("neighbours", "be a positive integer", neighbours);
  }
  const { first, second } = ranksOf(pairs, neighbours + 1);
  const count = first.length;
  const terms = localTerms(first, second, neighbours);
  const inBits = meanOf(terms) / Math.LN2;
  if (!groups) {
    // The terms estimate log p(x, y)/(p(x) p(y)). Minus I this is the influence function of the
    // mutual information, I(p) = ∫ p log p/(p_x p_y): a density p + δ changes it by
    // ∫ δ log p/(p_x p_y) + O(δ²), since the derivatives of the logarithms integrate to multiples
    // of ∫ δ = 0.
    const standardErrorInBits = errorOfMean(terms) / Math.LN2;
    return { inBits, standardErrorInBits, withoutGroupsInBits: null };
  }
  const bounds = groupBounds(groups, count);
  const without = Float64Array.from({ length: groups.length }, (_, g) => {
    const [from, to] = [bounds[g], bounds[g + 1]];
    requireNeighbours(count - (to - from), neighbours, g);
    const [x, y] = [first, second].map((ranks) => ranksWithout(ranks, from, to));
    return meanOf(localTerms(x, y, neighbours)) / Math.LN2;
  });
  return { inBits, standardErrorInBits: jackknifeError(without), withoutGroupsInBits: without };
}

function requireNeighbours(left: number, neighbours: number, g: number): void {
  if (left > neighbours) return;
  throw expected(`groups but groups[${g}]`, `hold more than ${neighbours} pairs`, left);
}

/** Ranks of the pairs before `from` and from `to` on, among themselves. */
function ranksWithout(ranks: Uint32Array, from: number, to: number): Uint32Array {
  const isOut = new Uint8Array(ranks.length);
  for (let i = from; i < to; i++) isOut[ranks[i]] = 1;
  const newRank = new Uint32Array(ranks.length);
  for (let rank = 1; rank < ranks.length; rank++) {
    newRank[rank] = newRank[rank - 1] + (isOut[rank - 1] === 0 ? 1 : 0);
  }
  const left = new Uint32Array(ranks.length - (to - from));
  for (let i = 0, k = 0; i < ranks.length; i++) {
    if (i < from || i >= to) left[k++] = newRank[ranks[i]];
  }
  return left;
}

/** ψ(k) + ψ(n) − ψ(n_x + 1) − ψ(n_y + 1) for each pair, in nats. */
function localTerms(first: Uint32Array, second: Uint32Array, k: number): Float64Array {
  const count = first.length;
  const scores = normalScores(count);
  const scoresOf = (ranks: Uint32Array): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => scores[ranks[i]]);
  const distances = neighbourDistances(scoresOf(first), scoresOf(second), k);
  const harmonic = harmonicNumbers(count);
  const constant = harmonic[k - 1] + harmonic[count - 1];
  return distances.map((distance, i) => {
    const nearFirst = nearerThan(distance, scores, first[i]);
    const nearSecond = nearerThan(distance, scores, second[i]);
    return constant - harmonic[nearFirst] - harmonic[nearSecond];
  });
}

/** 1 + 1/2 + … + 1/m for m < count */
function harmonicNumbers(count: number): Float64Array {
  const harmonic = new Float64Array(count);
  for (let m = 1; m < count; m++) harmonic[m] = harmonic[m - 1] + 1 / m;
  return harmonic;
}

/**
 * Number of other scores nearer to the score of `rank` than `distance`. Compares differences, as
 * the search for neighbours does: rounding must not count the neighbour at exactly that distance.
 */
function nearerThan(distance: number, scores: Float64Array, rank: number): number {
  const score = scores[rank];
  let [outside, inside] = [-1, rank];
  while (inside - outside > 1) {
    const middle = (inside + outside) >> 1;
    if (score - scores[middle] < distance) inside = middle;
    else outside = middle;
  }
  const lowest = inside;
  [inside, outside] = [rank, scores.length];
  while (outside - inside > 1) {
    const middle = (inside + outside) >> 1;
    if (scores[middle] - score < distance) inside = middle;
    else outside = middle;
  }
  return inside - lowest;
}
