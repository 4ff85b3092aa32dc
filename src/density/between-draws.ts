/**
 * A path from one normal vector to another on which every point is a normal vector, too. With a and
 * b independent and normal,
 *
 *   y(t) = ((1 − t) a + t b) / √((1 − t)² + t²),   0 ≤ t ≤ 1
 *
 * has mean 0 and covariance ((1 − t)² + t²) I / ((1 − t)² + t²) = I at every t. On the straight
 * line, without the divisor, ‖y‖ falls by a factor of √½ in the middle, a length that a normal
 * vector of many dimensions never has. If a and b have equal length and are orthogonal, which is
 * nearly true in many dimensions, the path is an arc of a circle.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";

/**
 * Returns y(t) for `part` = t, as an array of the type of `from`.
 *
 * @example
 * ```js
 * import { betweenDraws } from "gaussianize/density";
 *
 * const middle = betweenDraws(Float64Array.of(3, 0), Float64Array.of(0, 4), 0.5);
 * console.log(Math.hypot(...middle).toFixed(6)); // 3.535534
 * ```
 */
export function betweenDraws(from: FloatArray, to: FloatArray, part: number): FloatArray {
  if (to.length !== from.length) {
    throw expected("the draw `to`", `hold ${from.length} values`, to.length);
  }
  if (!(part >= 0 && part <= 1)) throw expected("part", "be from 0 to 1", part);
  const rest = 1 - part;
  // Roots have the same bits on every engine, unlike sines.
  const divisor = Math.sqrt(rest * rest + part * part);
  return from.map((value, k) => (rest * value + part * to[k]) / divisor);
}
