/**
 * What the inversion (gdn-inverse.ts) needs to know of a layer: its pools at t = log|z|, and how to
 * solve with I − M there.
 */
import type { FloatArray } from "../kernels.js";
import {
  type LowRankParameters,
  eliminateLowRank,
  lowRankPools,
  pooledByColumns,
} from "./gdn-low-rank.js";
import { invert } from "./matrix.js";

/** The parameters with α and γ written out as N×N matrices, whatever the form. */
export interface FullParameters {
  readonly n: number;
  readonly H: FloatArray | null;
  readonly alpha: Float64Array;
  readonly beta: FloatArray;
  readonly gamma: Float64Array;
  readonly epsilon: FloatArray;
}

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
   * (I − M)⁻¹ F at t, where the pools are D, with `epsilon` for ε in M (0 for components that have
   * no part in it); undefined where there is none.
   */
  solve(
    t: Float64Array,
    D: Float64Array,
    F: Float64Array,
    epsilon: Float64Array,
  ): Float64Array | undefined;
}

export function fullSystem(parameters: FullParameters): NewtonSystem {
  const { n, alpha, beta, gamma, epsilon } = parameters;
  return {
    n,
    beta,
    epsilon,
    ownAlpha: (i) => alpha[i * n + i],
    ownGamma: (i) => gamma[i * n + i],
    pools: (t) =>
      t.map((_, i) => {
        let D = beta[i];
        for (let j = 0; j < n; j++) D += gamma[i * n + j] * Math.exp(alpha[i * n + j] * t[j]);
        return D;
      }),
    solve(t, D, F, exponents) {
      const inverse = new Float64Array(n * n);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const ij = i * n + j;
          const M = (exponents[i] * alpha[ij] * gamma[ij] * Math.exp(alpha[ij] * t[j])) / D[i];
          inverse[ij] = (i === j ? 1 : 0) - M;
        }
      }
      if (Number.isNaN(invert(inverse, n, inverse))) return undefined;
      return F.map((_, i) => F.reduce((sum, F_j, j) => sum + inverse[i * n + j] * F_j, 0));
    },
  };
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
