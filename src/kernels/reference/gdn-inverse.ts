/**
 * z with g(z) = y (paper §3.2). The signs of z are those of y; what is sought is t_i = log|z_i|,
 * from s_i = log|y_i|:
 *
 *   F_i(t) = t_i − ε_i log D_i(e^t) − s_i = 0,   ∂F/∂t = I − M
 *
 *   fixed point  t ← t − F            (z_i ← D_i(z)^ε_i y_i, the paper's iteration)
 *   Newton       t ← t − (I − M)⁻¹ F
 *
 * F is concave (log D is a log-sum-exp), so after a Newton step F ≤ 0, and where I − M is an
 * M-matrix the iterates then rise to the solution. A step that does not make max |F_i| smaller is
 * shortened, and in the end replaced by one of the fixed point.
 *
 * M is similar, by diag(ε), to ε_j α_ij γ_ij u_ij / D_i, whose row sums are below max α_ij ε_j. In
 * the other forms that is max α_jj ε_j ≤ 1: there I − M is an M-matrix everywhere.
 *
 * A component with y_i = 0 has z_i = 0: t_i = −∞, and it has no part in F.
 */
import type {
  FloatArray,
  InversionMethod,
  InversionResults,
  InversionSettings,
} from "../kernels.js";
import type { NewtonSystem } from "./newton-systems.js";

/** An iterate with everything that depends on it. */
interface Iterate {
  readonly t: Float64Array;
  readonly D: Float64Array;
  readonly F: Float64Array;
  /** max |F_i|; ∞ where a pool is beyond the range of the arithmetic. */
  readonly residual: number;
}

/**
 * A Newton step is tried whole, then halved five times: near α_ii ε_i = 1 the steps are long and F
 * far from linear.
 */
const shares = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32];
/** A start value whose power would be near the end of the range of Float64 is none. */
const largestStart = 700;

/** The inverse of sample number `index`, whose y is given. */
export function synthesizeSample(
  system: NewtonSystem,
  y: FloatArray,
  { method, tolerance, maximumIterations }: InversionSettings,
  results: InversionResults,
  index: number,
): void {
  const s = Float64Array.from(y, (value) => Math.log(Math.abs(value)));
  let current = evaluate(system, s, startOf(system, s, method));
  let iterations = 0;
  while (
    current.residual > tolerance &&
    current.residual < Infinity &&
    iterations < maximumIterations
  ) {
    // The start looks at each component by itself: one step of the fixed point, and it knows about
    // the others.
    const newton = method === "newton" && iterations > 0;
    const next =
      (newton ? newtonStep(system, s, current) : undefined) ??
      stepBy(system, s, current, current.F, 1);
    iterations++;
    if (!(next.residual < Infinity)) break;
    current = next;
  }
  const z = current.t.map((t, i) => Math.min(Math.exp(t), Number.MAX_VALUE) * (y[i] < 0 ? -1 : 1));
  // The sign of a zero.
  z.forEach((value, i) => (z[i] = value === 0 ? y[i] * 0 : value));
  results.z.set(z, index * system.n);
  results.iterations[index] = iterations;
  results.residual[index] = current.residual;
  results.converged[index] = current.residual <= tolerance ? 1 : 0;
}

/**
 * A start below the solution, as D_i ≥ β_i and D_i ≥ γ_ii u_i:
 *
 *   t_i = s_i + ε_i log β_i   or   t_i = (s_i + ε_i log γ_ii) / (1 − α_ii ε_i), the paper's
 *
 * Newton's method takes the larger, the fixed point the paper's where there is one.
 */
function startOf(
  { ownAlpha, beta, ownGamma, epsilon }: NewtonSystem,
  s: Float64Array,
  method: InversionMethod,
): Float64Array {
  return s.map((s_i, i) => {
    if (s_i === -Infinity) return s_i;
    const [alpha_ii, gamma_ii] = [ownAlpha(i), ownGamma(i)];
    const byBeta = s_i + epsilon[i] * Math.log(beta[i]);
    const slack = 1 - alpha_ii * epsilon[i];
    if (!(gamma_ii > 0 && slack > 0)) return byBeta;
    const byGamma = (s_i + epsilon[i] * Math.log(gamma_ii)) / slack;
    if (!(Math.abs(alpha_ii * byGamma) < largestStart)) return byBeta;
    return method === "newton" ? Math.max(byGamma, byBeta) : byGamma;
  });
}

function evaluate(system: NewtonSystem, s: Float64Array, t: Float64Array): Iterate {
  const D = system.pools(t);
  const F = new Float64Array(system.n);
  // NaN is 0·∞: an overflow too.
  if (!D.every((value) => value < Infinity)) return { t, D, F, residual: Infinity };
  let residual = 0;
  for (let i = 0; i < system.n; i++) {
    if (s[i] === -Infinity) continue;
    F[i] = t[i] - system.epsilon[i] * Math.log(D[i]) - s[i];
    residual = Math.max(residual, Math.abs(F[i]));
  }
  return { t, D, F, residual };
}

/** The iterate at t − share·step. */
function stepBy(
  system: NewtonSystem,
  s: Float64Array,
  { t }: Iterate,
  step: Float64Array,
  share: number,
): Iterate {
  return evaluate(
    system,
    s,
    t.map((value, i) => value - share * step[i]),
  );
}

/** The first share of a Newton step that makes the residual smaller, if one does. */
function newtonStep(system: NewtonSystem, s: Float64Array, current: Iterate): Iterate | undefined {
  const { t, D, F, residual } = current;
  const exponents = s.map((s_i, i) => (s_i === -Infinity ? 0 : system.epsilon[i]));
  const step = system.solve(t, D, F, exponents);
  if (!step) return undefined;
  for (const share of shares) {
    const next = stepBy(system, s, current, step, share);
    if (next.residual < residual) return next;
  }
  return undefined;
}
