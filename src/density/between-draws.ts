/**
 * The way from one draw of a normal vector to another on which every place is such a draw itself.
 * With a and b independent and normal,
 *
 *   y(t) = ((1 − t) a + t b) / √((1 − t)² + t²),   0 ≤ t ≤ 1
 *
 * has mean 0 and covariance ((1 − t)² + t²) I / ((1 − t)² + t²) = I at every t, and so is normal as
 * they are. On the straight line, which has no divisor, ‖y‖ falls by a factor of √½ until the
 * middle: in many dimensions a length that a normal vector never has. Where a and b are of one
 * length and at right angles, which in many dimensions they nearly are, the way is an arc of a
 * circle.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";

/** y(t) for `part` = t, an array of the kind of `from`. */
export function betweenDraws(from: FloatArray, to: FloatArray, part: number): FloatArray {
  if (to.length !== from.length) {
    throw expected("the draw `to`", `hold ${from.length} values`, to.length);
  }
  if (!(part >= 0 && part <= 1)) throw expected("part", "be from 0 to 1", part);
  const rest = 1 - part;
  // Roots have the same bits on every engine, sines have not.
  const divisor = Math.sqrt(rest * rest + part * part);
  return from.map((value, k) => (rest * value + part * to[k]) / divisor);
}
