/**
 * The quantile function of the standard normal distribution: x with P(X ≤ x) = p, 0 < p < 1
 * (Wichura 1988, "Algorithm AS 241: the percentage points of the normal distribution", PPND16).
 * Three ratios of polynomials of degree 7:
 *
 *   |p − ½| ≤ 0.425                 x = q A(s)/B(s),        q = p − ½, s = 0.425² − q²
 *   else t = √(−ln min(p, 1 − p))   |x| = C(t − 1.6)/D(t − 1.6) for t ≤ 5, E(t − 5)/F(t − 5) beyond
 *
 * Relative error about 1e-16 in exact arithmetic. Only +, −, ×, ÷, √ and our logarithm, so the bits
 * are the same on every engine.
 */
import { portableLog } from "./logarithm.js";

// Coefficients of the powers 0 … 7.
const A = [
  3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
  45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727,
];
const B = [
  1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
  39307.89580009271061, 28729.085735721942674, 5226.495278852854561,
];
const C = [
  1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
  1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833,
  7.7454501427834140764e-4,
];
const D = [
  1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
  0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9,
];
const E = [
  6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
  0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5,
  2.01033439929228813265e-7,
];
const F = [
  1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525,
  7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7,
  2.04426310338993978564e-15,
];

/** x with P(X ≤ x) = p for a standard normal X, 0 < p < 1. */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const s = 0.180625 - q * q;
    return (q * polynomial(A, s)) / polynomial(B, s);
  }
  const t = Math.sqrt(-portableLog(q < 0 ? p : 1 - p));
  const size =
    t <= 5
      ? polynomial(C, t - 1.6) / polynomial(D, t - 1.6)
      : polynomial(E, t - 5) / polynomial(F, t - 5);
  return q < 0 ? -size : size;
}

function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0;
  for (let n = coefficients.length - 1; n >= 0; n--) sum = sum * x + coefficients[n];
  return sum;
}
