/**
 * A plane of normal vectors that a pointer can walk on. With a and b independent and normal,
 *
 *   y(u, v) = (u a + v b) / √(u² + v²) · r,   r = min(1, 1.5 √(u² + v²)),   −1 ≤ u, v ≤ 1
 *
 * Away from the middle, r = 1 and y is a normal vector, as every weighted sum of independent normal
 * vectors whose squared weights add up to 1. In the middle y is 0, the most likely vector, which a
 * normal vector of many dimensions is never near.
 */
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { Place } from "../components/drag.js";

const steepness = 1.5;

/** Returns r, the factor of a normal vector at a place. */
export function factorAt({ x, y }: Place): number {
  const [u, v] = [2 * x - 1, 1 - 2 * y];
  return Math.min(1, steepness * Math.sqrt(u * u + v * v));
}

/** Returns y, as an array of the type of `a`. */
export function planeAt(a: FloatArray, b: FloatArray, place: Place): FloatArray {
  const [u, v] = [2 * place.x - 1, 1 - 2 * place.y];
  const length = Math.sqrt(u * u + v * v);
  // In the middle there is no direction.
  const scale = length > 0 ? factorAt(place) / length : 0;
  return a.map((value, k) => scale * (u * value + v * b[k]));
}
