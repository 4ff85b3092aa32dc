/**
 * The length of a standard normal vector of N components: its distribution function and quantiles. With u = r²/2, P(r) = P(N/2, u), and
 *
 *   P(a, u) = u^a e^(−u)/Γ(a + 1) · (1 + u/(a+1) + u²/((a+1)(a+2)) + …)
 *
 * All terms are positive, so that the error of p is some N · 1e-15: enough for quantiles of data, whose 1 − p is no smaller than 1e-9.
 * Only portable functions: the bits are the same on every engine.
 */
import { portableExp, portableLog } from "../random/portable-math.js";

/** P(‖y‖ ≤ r) for y standard normal of `dimension` components, r > 0. */
export function chiCdf(r: number, dimension: number): number {
  if (dimension === 2) return 1 - portableExp(-Math.min(700, (r * r) / 2));
  return shareBelow((r * r) / 2, dimension, logGammaOfHalf(dimension + 2)).below;
}

/** r with P(‖y‖ ≤ r) = p, for 1e-9 ≤ p ≤ 1 − 1e-9. */
export function chiQuantile(p: number, dimension: number): number {
  if (dimension === 2) return Math.sqrt(-2 * portableLog(1 - p));
  const logFactorial = logGammaOfHalf(dimension + 2);
  // Newton's method on u, kept between bounds: the density may be nearly 0 where it starts. Mean N/2, deviation √(N/2).
  let [low, high, u] = [0, 3 * dimension + 100, dimension / 2];
  for (let step = 0; step < 200; step++) {
    const { below, density } = shareBelow(u, dimension, logFactorial);
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

/** P(N/2, u) and its derivative by u; `logFactorial` is ln Γ(N/2 + 1). */
function shareBelow(
  u: number,
  dimension: number,
  logFactorial: number,
): { readonly below: number; readonly density: number } {
  const a = dimension / 2;
  const exponent = a * portableLog(u) - u - logFactorial;
  if (exponent < -700) return { below: u > a ? 1 : 0, density: 0 };
  const weight = portableExp(exponent);
  let [sum, term] = [1, 1];
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= u / (a + n);
    sum += term;
  }
  return { below: weight * sum, density: (weight * a) / u };
}

/** ln Γ(m/2) for m ≥ 1, from Γ(½) = √π, Γ(1) = 1 and Γ(a + 1) = a Γ(a). */
function logGammaOfHalf(m: number): number {
  const isWhole = m % 2 === 0;
  let sum = isWhole ? 0 : portableLog(Math.PI) / 2;
  for (let twice = isWhole ? 2 : 1; twice < m; twice += 2) sum += portableLog(twice / 2);
  return sum;
}
