/**
 * Certificate of invertibility from the parameters of a normalization. With a_ij = ε_i α_ij where
 * γ_ij > 0, and 0 elsewhere:
 *
 *   q = max_ij a_ij
 *   μ = max over the cycles i → j → … → i of the geometric mean of the a_ij along them,
 *   max_i a_ii ≤ μ ≤ q
 *
 * In t = log|z| and s = log|y| the inverse is the fixed point of G(t) = s + ε log D(e^t), where
 * ∂G/∂t = M, M_ij = a_ij w_ij and Σ_j w_ij < 1 (DESIGN: w_ij = γ_ij |z_j|^α_ij / D_i).
 *
 *   μ < 1  Invertible: some d > 0 have a_ij d_j / d_i ≤ μ for all i, j (d = 1 shows it where q < 1,
 *          d_i = 1/α_i in the column form), so that Σ_j M_ij d_j / d_i < μ. Hence G contracts in
 *          max_i |t_i| / d_i at the rate μ, every y has exactly one z, and I − M is an M-matrix
 *          whose pivots are at least 1 − μ.
 *   μ = 1  One-to-one, since those sums still are below 1, but not onto: t_i ≥ s_i + ε_i log γ_ij +
 *          a_ij t_j gives t_i ≥ C(s) + t_i around the cycle, where C grows with every s_i. So there
 *          is no t for large s.
 *   μ > 1  Neither: C(s) + μ^k t_i ≤ t_i and t_i ≥ s_i + ε_i log β_i contradict each other for
 *          large s; and with v > 0, max_j a_ij v_j = μ v_i along the cycle, z = e^{λv} is mapped to
 *          y → 0 for λ → ∞, as points near 0 are.
 *
 * A structure with one pool (radial, lp, subspace, classic, weighted-l2) has μ = q = ε α.
 */
import { portablePow } from "../../numbers/power.js";
import { type Gdn, ownExponents } from "../../transforms/gdn.js";
import { pooledWeights, spreadOverEntries } from "../../transforms/gdn-structures.js";
import { type CycleMean, largestCycleMean } from "./cycles.js";

export type Verdict = "invertible" | "not onto" | "not invertible";

export interface Certificate {
  readonly q: number;
  /** μ, and a cycle with this mean. */
  readonly critical: CycleMean;
  readonly verdict: Verdict;
  /** Components with α_ii ε_i = 1 and γ_ii > 0, and their bound γ_ii^−ε_i of |y_i|. */
  readonly bounded: readonly { readonly component: number; readonly bound: number }[];
}

/** Float32 kernels round α and ε: a product this close to 1 may be on either side of it. */
const rounding = 2 ** -22;

/** Whether a value is below 1 even after rounding to Float32. */
export function isBelowOne(value: number): boolean {
  return value < 1 - rounding;
}

export function certificateOf(layer: Gdn): Certificate {
  const { dimension: n } = layer;
  const { epsilon, alpha, form } = spreadOverEntries(layer);
  const gamma = pooledWeights(layer);
  const weight = (i: number, j: number): number => gamma[i * n + j];
  const a = (i: number, j: number): number =>
    weight(i, j) > 0 ? epsilon[i] * alpha[form === "general" ? i * n + j : j] : 0;
  const own = ownExponents(layer);
  const q = largestOf(n, a);
  const scaled = largestOf(n, a, (i) => own.value(i));
  const critical = criticalCycle(n, a, Math.min(q, scaled));
  const bounded = Array.from({ length: n }, (_, i) => i)
    .filter((i) => sideOfOne(a(i, i)) === 0)
    .map((i) => ({ component: i, bound: portablePow(weight(i, i), -epsilon[i]) }));
  const verdicts = ["invertible", "not onto", "not invertible"] as const;
  return { q, critical, verdict: verdicts[sideOfOne(critical.mean) + 1], bounded };
}

function sideOfOne(value: number): -1 | 0 | 1 {
  if (isBelowOne(value)) return -1;
  return value > 1 + rounding ? 1 : 0;
}

/** Returns max_ij a_ij d_j / d_i, given 1/d: an upper bound of μ for any d > 0. */
function largestOf(
  n: number,
  a: (i: number, j: number) => number,
  reciprocal: (i: number) => number = () => 1,
): number {
  let largest = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      largest = Math.max(largest, a(i, j) * (reciprocal(i) / reciprocal(j)));
    }
  }
  return largest;
}

/** A component that pools itself is a cycle; usually the largest meets the upper bound. */
function criticalCycle(
  n: number,
  a: (i: number, j: number) => number,
  upperBound: number,
): CycleMean {
  let best = 0;
  for (let i = 1; i < n; i++) if (a(i, i) > a(best, best)) best = i;
  const mean = a(best, best);
  if (upperBound === 0) return { mean: 0, cycle: [] };
  // The bound has three more roundings.
  const isMet = mean >= upperBound * (1 - 4 * Number.EPSILON);
  return isMet ? { mean, cycle: [best] } : largestCycleMean(a, n);
}
