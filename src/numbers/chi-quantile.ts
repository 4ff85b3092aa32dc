/**
 * The length of a standard normal vector of N components: its distribution function and quantiles.
 * With u = r²/2,
 *
 *   P(‖y‖ ≤ r) = P(N/2, u),   ∂P/∂u = (a/u) · u^a e^(−u)/Γ(a + 1),   a = N/2
 *
 * For pairs it is 1 − e^(−u), which needs no iteration.
 */
import { portableExp } from "./exponential.js";
import { incompleteGamma, logGammaWeight } from "./incomplete-gamma.js";
import { portableLog } from "./logarithm.js";

/** P(‖y‖ ≤ r) for y standard normal of `dimension` components, r > 0. */
export function chiCdf(r: number, dimension: number): number {
  if (dimension === 2) return 1 - portableExp(-Math.min(700, (r * r) / 2));
  return incompleteGamma(dimension / 2, (r * r) / 2).lower;
}

/** r with P(‖y‖ ≤ r) = p, for 1e-9 ≤ p ≤ 1 − 1e-9. */
export function chiQuantile(p: number, dimension: number): number {
  if (dimension === 2) return Math.sqrt(-2 * portableLog(1 - p));
  const a = dimension / 2;
  // Newton's method on u, kept between bounds: the density may be nearly 0 where it starts. Mean
  // N/2, deviation √(N/2).
  let [low, high, u] = [0, 3 * dimension + 100, a];
  for (let step = 0; step < 200; step++) {
    const below = incompleteGamma(a, u).lower;
    const density = (portableExp(logGammaWeight(a, u)) * a) / u;
    if (below < p) low = u;
    else high = u;
    const next = u - (below - p) / density;
    const moved = next > low && next < high ? next : (low + high) / 2;
    const isThere = Math.abs(moved - u) <= 4 * Number.EPSILON * u;
    u = moved;
    if (isThere) break;
  }
  return Math.sqrt(2 * u);
}
