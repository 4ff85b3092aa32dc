/**
 * Solves g(z) = y for z (paper §3.2). z has the signs of y; the unknown is t_i = log|z_i|, given
 * s_i = log|y_i|:
 *
 *   F_i(t) = t_i − ε_i log D_i(e^t) − s_i = 0,   ∂F/∂t = I − M
 *
 *   fixed point  t ← t − F            (z_i ← D_i(z)^ε_i y_i, the paper's iteration)
 *   Newton       t ← t − (I − M)⁻¹ F
 *
 * F is concave (log D is a log-sum-exp), so F ≤ 0 after a Newton step, and if I − M is an M-matrix
 * the iterates then rise to the solution. A step that does not reduce max |F_i| is shortened, and
 * finally replaced by a fixed-point step.
 *
 * M is similar, by diag(ε), to ε_j α_ij γ_ij u_ij / D_i, whose row sums are below max α_ij ε_j. In
 * all forms but "general" that is max α_jj ε_j ≤ 1: there I − M is an M-matrix everywhere.
 *
 * A component with y_i = 0 has z_i = 0 and t_i = −∞; it is excluded from F.
 */
import type {
  FloatArray,
  InversionMethod,
  InversionResults,
  InversionSettings,
} from "../kernels.js";

/** A layer as the iteration sees it: its pools at t = log|z|, and a solver for I − M there. */
export interface NewtonSystem {
  readonly n: number;
  readonly beta: FloatArray;
  readonly epsilon: FloatArray;
  /** α_ii and γ_ii */
  readonly ownAlpha: (i: number) => number;
  readonly ownGamma: (i: number) => number;
  /** D(e^t) */
  pools(t: Float64Array): Float64Array;
  /**
   * Returns (I − M)⁻¹ F at t, where the pools are D, or undefined if that fails. `epsilon` replaces
   * ε in M and is 0 for excluded components.
   */
  solve(
    t: Float64Array,
    D: Float64Array,
    F: Float64Array,
    epsilon: Float64Array,
  ): Float64Array | undefined;
}

/** An iterate t with its pools, its defect and its residual. */
interface Iterate {
  readonly t: Float64Array;
  readonly D: Float64Array;
  readonly F: Float64Array;
  /** max |F_i|; ∞ if a pool overflows. */
  readonly residual: number;
}

/** Fractions of a Newton step to try: near α_ii ε_i = 1 steps are long and F far from linear. */
const shares = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32];
/** Largest |α_ii t_i| of a start: e^709 is the largest power in Float64. */
const largestStart = 700;

/** Inverts one sample and stores the results at `index`. */
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
    // The start ignores the other components; one fixed-point step takes them into account.
    const newton = method === "newton" && iterations > 0;
    const next =
      (newton ? newtonStep(system, s, current) : undefined) ??
      stepBy(system, s, current, current.F, 1);
    iterations++;
    if (!(next.residual < Infinity)) break;
    current = next;
  }
  const z = current.t.map((t, i) => Math.min(Math.exp(t), Number.MAX_VALUE) * (y[i] < 0 ? -1 : 1));
  // A zero keeps the sign of y.
  z.forEach((value, i) => (z[i] = value === 0 ? y[i] * 0 : value));
  results.z.set(z, index * system.n);
  results.iterations[index] = iterations;
  results.residual[index] = current.residual;
  results.converged[index] = current.residual <= tolerance ? 1 : 0;
}

/**
 * Returns a start below the solution, since D_i ≥ β_i and D_i ≥ γ_ii u_i:
 *
 *   t_i = s_i + ε_i log β_i   or   t_i = (s_i + ε_i log γ_ii) / (1 − α_ii ε_i), the paper's
 *
 * Newton's method takes the larger one, the fixed point the paper's if it exists.
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
  // NaN comes from 0·∞, which is an overflow too.
  if (!D.every((value) => value < Infinity)) return { t, D, F, residual: Infinity };
  let residual = 0;
  for (let i = 0; i < system.n; i++) {
    if (s[i] === -Infinity) continue;
    F[i] = t[i] - system.epsilon[i] * Math.log(D[i]) - s[i];
    residual = Math.max(residual, Math.abs(F[i]));
  }
  return { t, D, F, residual };
}

/** Returns the iterate at t − share·step. */
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

/** Takes the first share of a Newton step that reduces the residual; undefined if none does. */
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
