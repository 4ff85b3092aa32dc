/**
 * Gradients of GDN with α_ij = α_j from one vector v of random signs (docs/how-it-works.md, "Probe
 * gradients"). With M_ij = a_i γ_ij b_j, a_i = ε_i/D_i, b_j = α_j u_j:
 *
 *   m_i = M_ii,   a'_i = a_i/(1 − m_i),   K_ij = a'_i γ_ij b_j for i ≠ j, K_ii = 0
 *   log det(I − M) = Σ log(1 − m_i) − ½ tr K² − Σ_{n≥3} tr Kⁿ/n
 *
 * The derivatives of the first two terms are exact. With w = Σ_{n≥2} (Kᵀ)ⁿ v and
 * ρ_i = (K²)_ii + w_i (K v)_i, all terms together have the unbiased estimates
 *
 *   r_i = (m_i + ρ_i)/(1 − m_i)                      for Σ_j W_ij M_ij
 *   a'_i b_j (K_ji + w_i v_j), a'_i b_i (1 + ρ_i)    for W_ij a_i b_j with i ≠ j, i = j
 *
 * The specification finds w with the inverse that the kernels avoid.
 */
import type { FloatArray, GdnGradient } from "../kernels.js";
import { type Elimination, pullBack } from "./matrix.js";

interface ColumnParameters {
  readonly n: number;
  readonly H: FloatArray | null;
  readonly alpha: Float64Array;
  readonly gamma: Float64Array;
  readonly epsilon: FloatArray;
}

interface ColumnSample {
  readonly x: Float64Array;
  readonly z: Float64Array;
  readonly u: Float64Array;
  readonly D: Float64Array;
  readonly y: Float64Array;
  readonly M: Float64Array;
  readonly elimination: Elimination;
}

/** Smallest ε in a_i = ε_i/D_i, so that r_i/ε_i holds at ε_i = 0. */
const smallestEpsilon = 1e-14;

/** Adds the gradients of one sample to the sums and returns ∂L/∂x; `g` is ∂loss/∂y. */
export function differentiateWithSigns(
  parameters: ColumnParameters,
  sample: ColumnSample,
  g: FloatArray,
  signs: Float64Array,
  sums: GdnGradient | null,
): Float64Array {
  const { n, H, alpha, gamma, epsilon } = parameters;
  const { x, z, u, D, y } = sample;
  const { a, b, m, K, w } = probe(parameters, sample, signs);
  const q = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let rho = 0;
    for (let j = 0; j < n; j++) rho += K[i * n + j] * (K[j * n + i] + w[i] * signs[j]);
    const r = (m[i] + rho) / (1 - m[i]);
    const surplus = 1 - g[i] * y[i];
    const poolGradient = (epsilon[i] * surplus - r) / D[i];
    for (let j = 0; j < n; j++) {
      const ij = i * n + j;
      q[j] += poolGradient * gamma[ij] * u[j] + (i === j ? r : 0);
      const own = i === j ? 1 + rho : K[j * n + i] + w[i] * signs[j];
      if (sums) sums.gamma[ij] += poolGradient * u[j] + (a[i] / (1 - m[i])) * b[j] * own;
    }
    if (!sums) continue;
    sums.beta[i] += poolGradient;
    sums.epsilon[i] += surplus * Math.log(D[i]) + r / Math.max(epsilon[i], smallestEpsilon);
    if (z[i] !== 0) sums.alpha[i] += r / alpha[i];
  }
  const zGradient = q.map((q_j, j) => {
    const direct = g[j] / D[j] ** epsilon[j];
    if (z[j] === 0) return direct;
    if (sums) sums.alpha[j] += q_j * Math.log(Math.abs(z[j]));
    return direct + (alpha[j] * q_j) / z[j];
  });
  return pullBack(H, x, zGradient, sums?.H);
}

/** a, b, m, K and w. */
function probe(
  { n, alpha, gamma, epsilon }: ColumnParameters,
  { u, D, elimination }: ColumnSample,
  v: Float64Array,
) {
  const a = D.map((D_i, i) => Math.max(epsilon[i], smallestEpsilon) / D_i);
  const b = D.map((_, j) => alpha[j] * u[j]);
  const m = D.map((_, i) => a[i] * gamma[i * n + i] * b[i]);
  const K = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i !== j) K[i * n + j] = (a[i] / (1 - m[i])) * gamma[i * n + j] * b[j];
    }
  }
  const first = transposedTimes(K, v);
  // (I − Kᵀ)⁻¹ v, since I − M = diag(1 − m)(I − K).
  const sum = transposedTimes(elimination.inverse, v).map((value, i) => (1 - m[i]) * value);
  const w = sum.map((value, i) => value - v[i] - first[i]);
  return { a, b, m, K, w };
}

/** Aᵀ x of a square matrix. */
function transposedTimes(a: Float64Array, x: Float64Array): Float64Array {
  const { length: n } = x;
  return x.map((_, j) => x.reduce((sum, x_i, i) => sum + a[i * n + j] * x_i, 0));
}
