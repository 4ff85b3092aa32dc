/**
 * z with g(z) = y (paper §3.2). The signs of z are those of y; what is sought is t_i = log|z_i|, from s_i = log|y_i|:
 *
 *   F_i(t) = t_i − ε_i log D_i(e^t) − s_i = 0,   ∂F/∂t = I − M
 *
 *   fixed point  t ← t − F            (z_i ← D_i(z)^ε_i y_i, the paper's iteration)
 *   Newton       t ← t − (I − M)⁻¹ F
 *
 * F is concave (log D is a log-sum-exp), so after a Newton step F ≤ 0, and where I − M is an M-matrix the iterates then
 * rise to the solution. A step that does not make max |F_i| smaller is shortened, and in the end replaced by one of the
 * fixed point.
 *
 * M is similar, by diag(ε), to ε_j α_ij γ_ij u_ij / D_i, whose row sums are below max α_ij ε_j. In the column and the
 * diagonal form that is max α_jj ε_j ≤ 1: there I − M is an M-matrix everywhere.
 *
 * A component with y_i = 0 has z_i = 0: t_i = −∞, and it has no part in F.
 */
import type {
  FloatArray,
  InversionMethod,
  InversionResults,
  InversionSettings,
} from "../kernels.js";
import type { FullParameters } from "./gdn.js";
import { invert } from "./matrix.js";

/** An iterate with everything that depends on it. */
interface Iterate {
  readonly t: Float64Array;
  readonly F: Float64Array;
  readonly M: Float64Array;
  /** max |F_i|; ∞ where a pool is beyond the range of the arithmetic. */
  readonly residual: number;
}

/** A Newton step is tried whole, then halved five times: near α_ii ε_i = 1 the steps are long and F far from linear. */
const shares = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32];
/** A start value whose power would be near the end of the range of Float64 is none. */
const largestStart = 700;

/** The inverse of sample number `index`, whose y is given. */
export function synthesizeSample(
  parameters: FullParameters,
  y: FloatArray,
  { method, tolerance, maximumIterations }: InversionSettings,
  results: InversionResults,
  index: number,
): void {
  const s = Float64Array.from(y, (value) => Math.log(Math.abs(value)));
  let current = evaluate(parameters, s, startOf(parameters, s, method));
  let iterations = 0;
  while (
    current.residual > tolerance &&
    current.residual < Infinity &&
    iterations < maximumIterations
  ) {
    // The start looks at each component by itself: one step of the fixed point, and it knows about the others.
    const newton = method === "newton" && iterations > 0;
    const next =
      (newton ? newtonStep(parameters, s, current) : undefined) ??
      stepBy(parameters, s, current, current.F, 1);
    iterations++;
    if (!(next.residual < Infinity)) break;
    current = next;
  }
  const z = current.t.map((t, i) => Math.min(Math.exp(t), Number.MAX_VALUE) * (y[i] < 0 ? -1 : 1));
  // The sign of a zero.
  z.forEach((value, i) => (z[i] = value === 0 ? y[i] * 0 : value));
  results.z.set(z, index * parameters.n);
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
  { n, alpha, beta, gamma, epsilon }: FullParameters,
  s: Float64Array,
  method: InversionMethod,
): Float64Array {
  return s.map((s_i, i) => {
    if (s_i === -Infinity) return s_i;
    const [alpha_ii, gamma_ii] = [alpha[i * n + i], gamma[i * n + i]];
    const byBeta = s_i + epsilon[i] * Math.log(beta[i]);
    const slack = 1 - alpha_ii * epsilon[i];
    if (!(gamma_ii > 0 && slack > 0)) return byBeta;
    const byGamma = (s_i + epsilon[i] * Math.log(gamma_ii)) / slack;
    if (!(Math.abs(alpha_ii * byGamma) < largestStart)) return byBeta;
    return method === "newton" ? Math.max(byGamma, byBeta) : byGamma;
  });
}

function evaluate(
  { n, alpha, beta, gamma, epsilon }: FullParameters,
  s: Float64Array,
  t: Float64Array,
): Iterate {
  const F = new Float64Array(n);
  const M = new Float64Array(n * n);
  let residual = 0;
  for (let i = 0; i < n; i++) {
    let D = beta[i];
    for (let j = 0; j < n; j++) D += gamma[i * n + j] * Math.exp(alpha[i * n + j] * t[j]);
    // NaN is 0·∞: an overflow too.
    if (!(D < Infinity)) return { t, F, M, residual: Infinity };
    if (s[i] === -Infinity) continue;
    F[i] = t[i] - epsilon[i] * Math.log(D) - s[i];
    residual = Math.max(residual, Math.abs(F[i]));
    for (let j = 0; j < n; j++) {
      const ij = i * n + j;
      M[ij] = (epsilon[i] * alpha[ij] * gamma[ij] * Math.exp(alpha[ij] * t[j])) / D;
    }
  }
  return { t, F, M, residual };
}

/** The iterate at t − share·step. */
function stepBy(
  parameters: FullParameters,
  s: Float64Array,
  { t }: Iterate,
  step: Float64Array,
  share: number,
): Iterate {
  return evaluate(
    parameters,
    s,
    t.map((value, i) => value - share * step[i]),
  );
}

/** The first share of a Newton step that makes the residual smaller, if one does. */
function newtonStep(
  parameters: FullParameters,
  s: Float64Array,
  current: Iterate,
): Iterate | undefined {
  const { n } = parameters;
  const { F, M, residual } = current;
  const inverse = M.map((value, ij) => (ij % (n + 1) === 0 ? 1 : 0) - value);
  if (Number.isNaN(invert(inverse, n, inverse))) return undefined;
  const step = F.map((_, i) => F.reduce((sum, F_j, j) => sum + inverse[i * n + j] * F_j, 0));
  for (const share of shares) {
    const next = stepBy(parameters, s, current, step, share);
    if (next.residual < residual) return next;
  }
  return undefined;
}
