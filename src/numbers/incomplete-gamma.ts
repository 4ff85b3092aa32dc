/**
 * Gamma function and incomplete gamma integrals, for real a > 0, u ≥ 0:
 *
 *   ln Γ(a) = (a − ½) ln a − a + ½ ln 2π + δ(a)
 *   P(a, u) = 1/Γ(a) ∫_0^u t^(a−1) e^(−t) dt,   Q(a, u) = 1 − P(a, u)
 *
 * All start from the weight u^a e^(−u) / Γ(a + 1). It is computed from the deviance of u and a, not
 * from differences of large logarithms (Loader 2000), so that relative errors stay near 1e-15 for a
 * in the thousands.
 */
import { portableExp } from "./exponential.js";
import { portableLog, portableLog1p } from "./logarithm.js";

/** Returns δ(a), the error of Stirling's formula, by recursion to a ≥ 16 and seven terms. */
function stirlingCorrection(a: number): number {
  let sum = 0;
  for (; a < 16; a++) sum += (a + 0.5) * portableLog1p(1 / a) - 1;
  const s = 1 / (a * a);
  const series =
    1 / 12 -
    s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s / 156)))));
  return sum + series / a;
}

/** Returns ln Γ(a) for a > 0; absolute error below 1e-14 for a up to 10, relative beyond. */
export function logGamma(a: number): number {
  return (a - 0.5) * portableLog(a) - a + 0.5 * portableLog(2 * Math.PI) + stirlingCorrection(a);
}

/** Returns a ln(a/u) + u − a ≥ 0, without cancellation for u near a. */
function deviance(a: number, u: number): number {
  const v = (a - u) / (a + u);
  if (Math.abs(v) >= 0.1) return a * portableLog(a / u) + u - a;
  // ln(a/u) = 2 artanh v, and a·2v + u − a = (a − u) v.
  let sum = (a - u) * v;
  let power = 2 * a * v;
  for (let n = 3; ; n += 2) {
    power *= v * v;
    const next = sum + power / n;
    if (next === sum) return sum;
    sum = next;
  }
}

/** Returns ln( u^a e^(−u) / Γ(a + 1) ) for a, u > 0. */
export function logGammaWeight(a: number, u: number): number {
  return -stirlingCorrection(a) - deviance(a, u) - 0.5 * portableLog(2 * Math.PI * a);
}

/** Returns P(a, u) and Q(a, u); the smaller one has a small relative error. */
export function incompleteGamma(a: number, u: number): { lower: number; upper: number } {
  if (u <= 0) return { lower: 0, upper: 1 };
  if (u === Infinity) return { lower: 1, upper: 0 };
  const weight = portableExp(logGammaWeight(a, u));
  if (u < a + 1) {
    const lower = weight * powerSeries(a, u);
    return { lower, upper: 1 - lower };
  }
  const upper = a * weight * continuedFraction(a, u);
  return { lower: 1 - upper, upper };
}

/** 1 + u/(a+1) + u²/((a+1)(a+2)) + … */
function powerSeries(a: number, u: number): number {
  let [sum, term] = [1, 1];
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= u / (a + n);
    sum += term;
  }
  return sum;
}

/** 1/(u+1−a− 1(1−a)/(u+3−a− 2(2−a)/(u+5−a− …))), by Lentz's method. */
function continuedFraction(a: number, u: number): number {
  const tiny = 1e-300;
  let b = u + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let product = d;
  for (let n = 1; n < 100_000; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b || tiny);
    c = b + numerator / c || tiny;
    product *= d * c;
    if (Math.abs(d * c - 1) < 2e-16) break;
  }
  return product;
}
