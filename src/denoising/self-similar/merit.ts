/**
 * Merit of the densities of groups, pixel by pixel. If the density of a group suits a noisy patch,
 * what it removes is noise: ‖y − x̂‖²/(Nσ²) is a little below 1. If it is larger, structure was
 * removed with the noise, and the prior's estimate deserves more weight.
 */

/** Knots of the residual, and the weights of the estimate by groups there; linear in between. */
const knots: readonly (readonly [residual: number, weight: number])[] = [
  [0.43, 0.84],
  [0.7, 0.89],
  [0.86, 0.86],
  [0.94, 0.78],
  [1.02, 0.75],
  [1.19, 0.41],
];

/** Returns prior + weight·(similar − prior), where the weight depends on the residual. */
export function mixedByMerit(
  prior: ArrayLike<number>,
  similar: Float32Array,
  residual: Float32Array,
): Float32Array {
  return similar.map((value, k) => prior[k] + weightOf(residual[k]) * (value - prior[k]));
}

export function weightOf(residual: number): number {
  let after = 0;
  while (after < knots.length && knots[after][0] <= residual) after++;
  if (after === knots.length) return knots[knots.length - 1][1];
  if (after === 0) return knots[0][1];
  const [[left, low], [right, high]] = [knots[after - 1], knots[after]];
  return low + ((residual - left) / (right - left)) * (high - low);
}
