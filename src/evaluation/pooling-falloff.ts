/**
 * The fall-off of pooling weights with the distance between the centres of two filters, the angle
 * between their stripes and the ratio of their frequencies. Filter j has in the pool of i the share
 *
 *   s_ij = w_ij / Σ_k w_ik,
 *
 * with w the weights γ or, easier to compare, the contributions of pooling.ts. Equal shares would
 * be 1/N.
 */
import { expected } from "../errors.js";
import { portableLog2 } from "../numbers/extended-logarithm.js";
import { portableHypot } from "../numbers/hypotenuse.js";
import { meanOf } from "../numbers/means.js";
import { quantileOfSorted } from "../numbers/order-statistics.js";
import type { FilterShape } from "./filter-shapes.js";
import { leastSelectivity as usualSelectivity } from "./filter-tuning.js";

/** Shares s_ij of pairs i ≠ j in bins of a quantity, without empty bins. */
export interface FalloffCurve {
  /** Mean of the quantity over the pairs of each bin, increasing. */
  readonly x: Float64Array;
  readonly mean: Float64Array;
  readonly lowerQuartile: Float64Array;
  readonly median: Float64Array;
  readonly upperQuartile: Float64Array;
  /** Number of ordered pairs in each bin. */
  readonly pairs: Float64Array;
}

export interface PoolingFalloff {
  /** Over the distance between centres, in pixels. */
  readonly distance: FalloffCurve;
  /** Over the angle between stripes in radians, 0 to π/2, for pairs of oriented filters. */
  readonly orientation: FalloffCurve;
  /** Over log₂(f_j/f_i) in octaves, positive if the pooled filter j is finer; without DC. */
  readonly scale: FalloffCurve;
  /** Over the distance, for each bin of angles with pairs. */
  readonly distanceByOrientation: readonly {
    /** Limits of the bin of angles, in radians. */
    readonly from: number;
    readonly to: number;
    readonly curve: FalloffCurve;
  }[];
}

export interface FalloffOptions {
  /** Width of a bin of distances, in pixels; 1 by default. */
  readonly distanceBin?: number;
  /** Number of bins from 0 to π/2; 6 by default. */
  readonly orientationBins?: number;
  /** Width of a bin of octaves, one of them around 0; ½ by default. */
  readonly octaveBin?: number;
  /** Least selectivity (FilterShape) of a filter with an orientation; 0.3 by default. */
  readonly leastSelectivity?: number;
}

/**
 * Computes the curves from `weights`, an N×N matrix with row i for pool i, and the shapes of the N
 * filters. Skips rows of zeros.
 */
export function poolingFalloff(
  weights: ArrayLike<number>,
  shapes: readonly FilterShape[],
  options: FalloffOptions = {},
): PoolingFalloff {
  const { distanceBin = 1, orientationBins = 6, octaveBin = 0.5 } = options;
  const { leastSelectivity = usualSelectivity } = options;
  for (const [name, value] of Object.entries({ distanceBin, orientationBins, octaveBin })) {
    if (!(value > 0 && value < Infinity)) throw expected(name, "be a positive number", value);
  }
  if (!Number.isInteger(orientationBins)) {
    throw expected("orientationBins", "be an integer", orientationBins);
  }
  const pairs = pairsOf(weights, shapes, leastSelectivity);
  const angleBin = Math.PI / 2 / orientationBins;
  // The last bin includes the right angle.
  const angleBinOf = ({ angle }: Pair): number =>
    Math.min(orientationBins - 1, Math.floor(angle / angleBin));
  const overDistance = (some: readonly Pair[]): FalloffCurve =>
    curveOf(some, distanceOf, (pair) => Math.floor(pair.distance / distanceBin));
  const oriented = pairs.filter(({ angle }) => !Number.isNaN(angle));
  const scaled = pairs.filter(({ octaves }) => !Number.isNaN(octaves));
  return {
    distance: overDistance(pairs),
    orientation: curveOf(oriented, ({ angle }) => angle, angleBinOf),
    scale: curveOf(scaled, octavesOf, (pair) => Math.round(pair.octaves / octaveBin)),
    distanceByOrientation: [...inBins(oriented, angleBinOf)].map(([bin, some]) => ({
      from: bin * angleBin,
      to: (bin + 1) * angleBin,
      curve: overDistance(some),
    })),
  };
}

/** The `count` filters j ≠ i with the largest weights in the pool of i; skips weights of 0. */
export function strongestPools(
  weights: ArrayLike<number>,
  n: number,
  i: number,
  count: number,
): number[] {
  requireMatrix(weights, n);
  if (!Number.isInteger(i) || i < 0 || i >= n) {
    throw expected("i", `be an integer from 0 to ${n - 1}`, i);
  }
  const weight = (j: number): number => weights[i * n + j];
  return Array.from({ length: n }, (_, j) => j)
    .filter((j) => j !== i && weight(j) > 0)
    .sort((a, b) => weight(b) - weight(a) || a - b)
    .slice(0, count);
}

/** An ordered pair: j in the pool of i. */
interface Pair {
  readonly share: number;
  readonly distance: number;
  /** NaN if a filter has no orientation. */
  readonly angle: number;
  /** NaN if a filter is DC. */
  readonly octaves: number;
}

const distanceOf = ({ distance }: Pair): number => distance;
const octavesOf = ({ octaves }: Pair): number => octaves;

function pairsOf(
  weights: ArrayLike<number>,
  shapes: readonly FilterShape[],
  leastSelectivity: number,
): Pair[] {
  const n = shapes.length;
  requireMatrix(weights, n);
  const isOriented = shapes.map((shape) => !shape.isDc && shape.selectivity >= leastSelectivity);
  const pairs: Pair[] = [];
  for (let i = 0; i < n; i++) {
    let total = 0;
    for (let j = 0; j < n; j++) total += weights[i * n + j];
    if (total === 0) continue;
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      const [a, b] = [shapes[i], shapes[j]];
      pairs.push({
        share: weights[i * n + j] / total,
        distance: portableHypot(a.row - b.row, a.column - b.column),
        angle: isOriented[i] && isOriented[j] ? angleBetween(a.orientation, b.orientation) : NaN,
        octaves: a.isDc || b.isDc ? NaN : portableLog2(b.frequency / a.frequency),
      });
    }
  }
  return pairs;
}

/** Angle between stripes, from 0 to π/2. */
function angleBetween(a: number, b: number): number {
  const difference = Math.abs(a - b);
  return Math.min(difference, Math.PI - difference);
}

function requireMatrix(weights: ArrayLike<number>, n: number): void {
  if (weights.length !== n * n) {
    throw expected("weights", `hold ${n * n} values (${n}×${n})`, weights.length);
  }
  for (let k = 0; k < weights.length; k++) {
    if (weights[k] >= 0 && weights[k] < Infinity) continue;
    const place = `weights[${Math.floor(k / n)}][${k % n}]`;
    throw expected(place, "be finite and at least 0", weights[k]);
  }
}

/** Bins in increasing order, without empty ones. */
function inBins(pairs: readonly Pair[], binOf: (pair: Pair) => number): Map<number, Pair[]> {
  const bins = new Map<number, Pair[]>();
  for (const pair of pairs) {
    const bin = binOf(pair);
    const members = bins.get(bin);
    if (members) members.push(pair);
    else bins.set(bin, [pair]);
  }
  return new Map([...bins].sort(([a], [b]) => a - b));
}

function curveOf(
  pairs: readonly Pair[],
  quantity: (pair: Pair) => number,
  binOf: (pair: Pair) => number,
): FalloffCurve {
  const bins = [...inBins(pairs, binOf).values()];
  const shares = bins.map((some) => Float64Array.from(some, ({ share }) => share).sort());
  const quantiles = (part: number): Float64Array =>
    Float64Array.from(shares, (sorted) => quantileOfSorted(sorted, part));
  return {
    x: Float64Array.from(bins, (some) => meanOf(some.map(quantity))),
    mean: Float64Array.from(shares, meanOf),
    lowerQuartile: quantiles(0.25),
    median: quantiles(0.5),
    upperQuartile: quantiles(0.75),
    pairs: Float64Array.from(bins, ({ length }) => length),
  };
}
