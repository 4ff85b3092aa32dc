/** Means and standard errors; sums are in the order of the values. */
import { expected } from "../errors.js";
import { square } from "./square.js";

/** Returns the mean, or NaN for no values. */
export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k];
  return sum / values.length;
}

/** Returns the weighted mean, or NaN for no values. */
export function weightedMean(values: readonly number[], weights: readonly number[]): number {
  let [sum, total] = [0, 0];
  values.forEach((value, k) => {
    sum += weights[k] * value;
    total += weights[k];
  });
  return sum / total;
}

/** Returns the standard error of the mean of independent values; NaN for fewer than two. */
export function errorOfMean(values: ArrayLike<number>): number {
  const mean = meanOf(values);
  let squares = 0;
  for (let k = 0; k < values.length; k++) squares += square(values[k] - mean);
  return standardErrorOf({ count: values.length, variance: squares / values.length });
}

/** Returns the standard error of the mean of `count` values, given their biased variance. */
export function standardErrorOf(values: {
  readonly count: number;
  readonly variance: number;
}): number {
  return Math.sqrt(values.variance / (values.count - 1));
}

/**
 * Returns the standard error of the mean m = Σ w_i m_i of K independent means with shares w_i:
 *
 *   √( K/(K − 1) Σ w_i² (m_i − m)² )
 *
 * For equal shares it is the standard deviation divided by √K.
 */
export function standardErrorOfMeans(means: readonly number[], weights: readonly number[]): number {
  const count = means.length;
  const mean = weightedMean(means, weights);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const squares = means.reduce(
    (sum, value, i) => sum + square((weights[i] / total) * (value - mean)),
    0,
  );
  return Math.sqrt((count / (count - 1)) * squares);
}

/**
 * Returns the delete-one jackknife error (Quenouille 1956; Tukey 1958) for estimates θ_g without
 * group g of G:
 *
 *   s² = (G − 1)/G Σ_g (θ_g − mean θ)²
 */
export function jackknifeError(withoutGroups: ArrayLike<number>): number {
  const groups = withoutGroups.length;
  if (groups < 2) throw expected("estimates without a group", "be at least 2", groups);
  const mean = meanOf(withoutGroups);
  let squares = 0;
  for (let g = 0; g < groups; g++) squares += square(withoutGroups[g] - mean);
  return Math.sqrt((squares * (groups - 1)) / groups);
}
