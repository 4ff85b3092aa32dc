/**
 * Specification of low-rank pooling: the formulas of gdn.ts with γ = diag(g) + U Vᵀ and α_ij = α_j
 * inserted, so that no matrix larger than R×R is inverted. Names and layout: ../low-rank.ts.
 *
 * With V* = (I − M)⁻¹ = Wᵀ, and since K⁻¹ Bᵀ E⁻¹ A = K⁻¹ − I:
 *
 *   q_i = Σ_tr A_it (K⁻¹)_tr B_ir
 *   r_i = Σ_j W_ij M_ij = V*_ii − 1 = (1 − E_i)/E_i + q_i/E_i²   (no term is negative)
 *   Σ_j W_ij B_jr = (B K⁻ᵀ)_ir / E_i,   Σ_i W_ij A_ir = (A K⁻¹)_jr / E_j
 *
 * and with d = ∂L/∂D, p = Vᵀu, h = Uᵀd, w_i = ε_i α_i u_i / (D_i E_i):
 *
 *   ∂L/∂g_i  = d_i u_i + (1 + r_i) ε_i α_i u_i / D_i
 *   ∂L/∂U_ir = d_i p_r + w_i Σ_s V_is (K⁻¹)_rs
 *   ∂L/∂V_jr = u_j h_r + w_j Σ_s U_js (K⁻¹)_sr
 *   ∂L/∂α_j  = (v_j u_j + r_j) log|z_j| + r_j/α_j,   v = γᵀ d = g∘d + V h
 *   ∂L/∂z_j  = ∂loss/∂y_j D_j^−ε_j + α_j (v_j u_j + r_j) / z_j
 *
 * Cost per sample: N R², and 2 N² for H.
 */
import type { FloatArray, GdnGradient, GdnParameters } from "../kernels.js";
import { lowRankParts } from "../low-rank.js";
import type { NewtonSystem } from "./gdn-inverse.js";
import { type Elimination, eliminate, multiplied, pullBack } from "./matrix.js";

type LowRankParameters = ReturnType<typeof copyLowRank>;
type LowRankSample = ReturnType<typeof evaluateLowRank>;

export function copyLowRank(parameters: GdnParameters) {
  const { dimension: n, rank = 0, H, alpha, beta, gamma, epsilon } = parameters;
  return {
    n,
    rank,
    H: H?.slice() ?? null,
    alpha: alpha.slice(),
    beta: beta.slice(),
    epsilon: epsilon.slice(),
    ...lowRankParts(gamma.slice(), n, rank),
  };
}

/** p_r = Σ_j V_jr u_j */
function pooledByColumns({ n, rank, V }: LowRankParameters, u: Float64Array): Float64Array {
  return Float64Array.from({ length: rank }, (_, r) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += V[r][j] * u[j];
    return sum;
  });
}

/** D_i = β_i + g_i u_i + Σ_r U_ir p_r */
function lowRankPools(
  parameters: LowRankParameters,
  u: Float64Array,
  p: Float64Array,
): Float64Array {
  const { rank, beta, g, U } = parameters;
  return u.map((u_i, i) => {
    let D = beta[i] + g[i] * u_i;
    for (let r = 0; r < rank; r++) D += U[r][i] * p[r];
    return D;
  });
}

/** Eliminates K_rs = δ_rs − Σ_i B_ir A_is / E_i = δ_rs − Σ_i w_i V_ir U_is. */
function eliminateLowRank({ n, rank, U, V }: LowRankParameters, w: Float64Array): Elimination {
  const K = new Float64Array(rank * rank);
  for (let r = 0; r < rank; r++) {
    for (let s = 0; s < rank; s++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += w[i] * V[r][i] * U[s][i];
      K[r * rank + s] = (r === s ? 1 : 0) - sum;
    }
  }
  return eliminate(K, rank);
}

export function evaluateLowRank(parameters: LowRankParameters, input: FloatArray) {
  const { n, H, alpha, g, epsilon } = parameters;
  const x = Float64Array.from(input);
  const z = H ? multiplied(H, x) : x;
  const u = z.map((z_j, j) => Math.abs(z_j) ** alpha[j]);
  const p = pooledByColumns(parameters, u);
  const D = lowRankPools(parameters, u, p);
  const y = z.map((z_i, i) => z_i / D[i] ** epsilon[i]);
  const E = D.map((D_i, i) => 1 - (epsilon[i] * alpha[i] * g[i] * u[i]) / D_i);
  const w = u.map((u_i, i) => (epsilon[i] * alpha[i] * u_i) / (D[i] * E[i]));
  /** K⁻¹, and the component that failed. */
  const elimination = failedFirst(E) ?? withinComponents(eliminateLowRank(parameters, w), n);
  let logDeterminant = elimination.logDeterminant;
  for (let i = 0; i < n; i++) logDeterminant += Math.log(E[i]) - epsilon[i] * Math.log(D[i]);
  if (elimination.failedPivot >= 0) logDeterminant = NaN;
  return { x, z, u, p, D, y, E, elimination, logDeterminant };
}

function failedFirst(E: Float64Array): Elimination | undefined {
  const failedPivot = E.findIndex((E_i) => !(E_i > 0));
  if (failedPivot < 0) return undefined;
  return { inverse: new Float64Array(0), logDeterminant: NaN, failedPivot };
}

function withinComponents(elimination: Elimination, n: number): Elimination {
  return elimination.failedPivot < 0 ? elimination : { ...elimination, failedPivot: n - 1 };
}

export function differentiateLowRank(
  parameters: LowRankParameters,
  sample: LowRankSample,
  upstream: FloatArray,
  sums: GdnGradient | null,
): Float64Array {
  const { n, rank, alpha, epsilon, g, U, V } = parameters;
  const { z, u, D } = sample;
  const { d, r } = differentiatePools(parameters, sample, upstream, sums);
  const h = Float64Array.from({ length: rank }, (_, k) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += U[k][i] * d[i];
    return sum;
  });
  if (sums) differentiateFactors(parameters, sample, d, h, sums);
  const zGradient = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    zGradient[j] = upstream[j] / D[j] ** epsilon[j];
    // At z_j = 0 the terms with log|z_j| and 1/z_j vanish, as in gdn.ts.
    if (z[j] === 0) continue;
    let v = g[j] * d[j];
    for (let k = 0; k < rank; k++) v += V[k][j] * h[k];
    const both = v * u[j] + r[j];
    if (sums) sums.alpha[j] += both * Math.log(Math.abs(z[j])) + r[j] / alpha[j];
    zGradient[j] += (alpha[j] * both) / z[j];
  }
  return pullBack(parameters.H, sample.x, zGradient, sums?.H);
}

/** Returns d_i = ∂L/∂D_i and r_i; adds to the sums of β, ε and g. */
function differentiatePools(
  { n, rank, alpha, epsilon, g, U, V }: LowRankParameters,
  { u, D, y, E, elimination }: LowRankSample,
  upstream: FloatArray,
  sums: GdnGradient | null,
): { d: Float64Array; r: Float64Array } {
  const K = (t: number, s: number): number => elimination.inverse[t * rank + s];
  const target = sums && lowRankParts(sums.gamma, n, rank);
  const d = new Float64Array(n);
  const r = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    // q_i / ε_i, written without the division so that it holds at ε_i = 0.
    let qOverEpsilon = 0;
    for (let t = 0; t < rank; t++) {
      for (let s = 0; s < rank; s++) {
        qOverEpsilon += (U[t][i] / D[i]) * K(t, s) * alpha[i] * u[i] * V[s][i];
      }
    }
    const rOverEpsilon = (alpha[i] * g[i] * u[i]) / (D[i] * E[i]) + qOverEpsilon / E[i] ** 2;
    r[i] = epsilon[i] * rOverEpsilon;
    d[i] = (epsilon[i] * (1 - upstream[i] * y[i]) - r[i]) / D[i];
    if (!sums || !target) continue;
    sums.beta[i] += d[i];
    sums.epsilon[i] += (1 - upstream[i] * y[i]) * Math.log(D[i]) + rOverEpsilon;
    target.g[i] += d[i] * u[i] + ((1 + r[i]) * epsilon[i] * alpha[i] * u[i]) / D[i];
  }
  return { d, r };
}

/** Adds to the sums of U and V, from d and h = Uᵀ d. */
function differentiateFactors(
  { n, rank, alpha, epsilon, U, V }: LowRankParameters,
  { u, p, D, E, elimination }: LowRankSample,
  d: Float64Array,
  h: Float64Array,
  sums: GdnGradient,
): void {
  const K = (t: number, s: number): number => elimination.inverse[t * rank + s];
  const target = lowRankParts(sums.gamma, n, rank);
  for (let j = 0; j < n; j++) {
    const w = (epsilon[j] * alpha[j] * u[j]) / (D[j] * E[j]);
    for (let k = 0; k < rank; k++) {
      let [byU, byV] = [d[j] * p[k], u[j] * h[k]];
      for (let s = 0; s < rank; s++) {
        byU += w * V[s][j] * K(k, s);
        byV += w * U[s][j] * K(s, k);
      }
      target.U[k][j] += byU;
      target.V[k][j] += byV;
    }
  }
}

/** (I − M)⁻¹ F = E⁻¹ (F + A K⁻¹ Bᵀ E⁻¹ F) */
export function lowRankSystem(parameters: LowRankParameters): NewtonSystem {
  const { n, rank, alpha, beta, epsilon, g, U, V } = parameters;
  const powers = (t: Float64Array): Float64Array => t.map((t_j, j) => Math.exp(alpha[j] * t_j));
  return {
    n,
    beta,
    epsilon,
    ownAlpha: (i) => alpha[i],
    ownGamma: (i) => {
      let sum = g[i];
      for (let r = 0; r < rank; r++) sum += U[r][i] * V[r][i];
      return sum;
    },
    pools(t) {
      const u = powers(t);
      return lowRankPools(parameters, u, pooledByColumns(parameters, u));
    },
    solve(t, D, F, exponents) {
      const u = powers(t);
      const a = D.map((D_i, i) => exponents[i] / D_i);
      const b = u.map((u_j, j) => alpha[j] * u_j);
      const E = a.map((a_i, i) => 1 - a_i * b[i] * g[i]);
      if (E.some((E_i) => !(E_i > 0))) return undefined;
      const w = a.map((a_i, i) => (a_i * b[i]) / E[i]);
      const { inverse, failedPivot } = eliminateLowRank(parameters, w);
      if (failedPivot >= 0) return undefined;
      const f = F.map((F_i, i) => F_i / E[i]);
      const pulled = pooledByColumns(
        parameters,
        f.map((f_j, j) => b[j] * f_j),
      );
      const pushed = pulled.map((_, r) => {
        let sum = 0;
        for (let s = 0; s < rank; s++) sum += inverse[r * rank + s] * pulled[s];
        return sum;
      });
      return f.map((f_i, i) => {
        let sum = 0;
        for (let r = 0; r < rank; r++) sum += U[r][i] * pushed[r];
        return f_i + (a[i] * sum) / E[i];
      });
    },
  };
}
