import { expected } from "../errors.js";
import { portableExp } from "../numbers/exponential.js";
import { incompleteGamma, logGammaWeight } from "../numbers/incomplete-gamma.js";
import { portableLog } from "../numbers/logarithm.js";

/** The distribution of a quantity of perfectly Gaussianized data. */
export interface ReferenceDistribution {
  /** Name in words: "standard normal", "χ with 64 degrees of freedom". */
  readonly name: string;
  readonly density: (x: number) => number;
  readonly logDensity: (x: number) => number;
  /** P(X ≤ x) */
  readonly cdf: (x: number) => number;
  /** P(X > x), precise where it is small. */
  readonly survival: (x: number) => number;
}

/** N(0, 1): the distribution of one component of y. */
export const standardNormal: ReferenceDistribution = {
  name: "standard normal",
  density: (x) => portableExp(logNormalDensity(x)),
  logDensity: logNormalDensity,
  cdf: (x) => normalSurvival(-x),
  survival: normalSurvival,
};

function logNormalDensity(x: number): number {
  return -0.5 * (x * x + portableLog(2 * Math.PI));
}

function normalSurvival(x: number): number {
  const { lower, upper } = incompleteGamma(0.5, (x * x) / 2);
  return x > 0 ? upper / 2 : 0.5 + lower / 2;
}

/**
 * The distribution of the length ‖y‖ of a standard normal vector of k components, with u = x²/2:
 *
 *   f(x) = 2^(1−k/2) x^(k−1) e^(−x²/2) / Γ(k/2) = (k/x) · u^(k/2) e^(−u) / Γ(k/2 + 1),
 *   P(X ≤ x) = P(k/2, u)
 */
export function chiDistribution(degreesOfFreedom: number): ReferenceDistribution {
  const k = degreesOfFreedom;
  if (!(Number.isFinite(k) && k > 0)) {
    throw expected("degreesOfFreedom", "be a positive number", degreesOfFreedom);
  }
  const logDensity = (x: number): number => {
    if (x < 0) return -Infinity;
    // If x² underflows, f is (2/π)^½ for k = 1, 0 for larger and infinite for smaller k.
    const u = (x * x) / 2;
    if (u === 0) return k === 1 ? 0.5 * portableLog(2 / Math.PI) : (1 - k) * Infinity;
    return u === Infinity ? -Infinity : portableLog(k / x) + logGammaWeight(k / 2, u);
  };
  const shares = (x: number) => incompleteGamma(k / 2, x > 0 ? (x * x) / 2 : 0);
  return {
    name: `χ with ${k} ${k === 1 ? "degree" : "degrees"} of freedom`,
    density: (x) => portableExp(logDensity(x)),
    logDensity,
    cdf: (x) => shares(x).lower,
    survival: (x) => shares(x).upper,
  };
}

/** P(a < X ≤ b), from the nearer tail: a difference of numbers near 1 would lose its digits. */
export function probabilityBetween(
  { cdf, survival }: ReferenceDistribution,
  a: number,
  b: number,
): number {
  return cdf(a) > 0.5 ? survival(a) - survival(b) : cdf(b) - cdf(a);
}
