/**
 * Low-rank pooling weights: γ = diag(g) + U Vᵀ with g, U, V ≥ 0 and N×R matrices U and V, stored in
 * one (2R + 1)×N array with one column per component:
 *
 *   row 0          g
 *   rows 1 … R     Uᵀ:  U_ir in row 1 + r, column i
 *   rows R+1 … 2R  Vᵀ:  V_jr in row 1 + R + r, column j
 *
 * With α_ij = α_j, u_j = |z_j|^α_j and D = β + g∘u + U (Vᵀu), the matrix to invert is
 *
 *   I − M = diag(E) − A Bᵀ,   E_i = 1 − ε_i α_i g_i u_i / D_i,   A_ir = ε_i U_ir / D_i,
 *   B_jr = α_j u_j V_jr
 *
 * and inverting it takes only the inverse of an R×R matrix (Woodbury):
 *
 *   K = I_R − Bᵀ E⁻¹ A,   det(I − M) = Π_i E_i · det K,   (I − M)⁻¹ = E⁻¹ + E⁻¹ A K⁻¹ Bᵀ E⁻¹
 *
 * If I − M is a nonsingular M-matrix, so are diag(E) and its Schur complement K: E_i > 0, the
 * elimination of K has positive pivots without any pivoting, and K⁻¹ ≥ 0. The failed pivot is the
 * first component with E_i ≤ 0, or component N − 1 if K has a non-positive pivot.
 */
import type { FloatArray } from "./kernels.js";

/** g, U and V; `U[r]` and `V[r]` are columns of N values. */
export interface LowRankParts<T extends FloatArray> {
  readonly g: T;
  readonly U: readonly T[];
  readonly V: readonly T[];
}

/** Returns g, U and V as views of the array. */
export function lowRankParts<T extends FloatArray>(
  gamma: T,
  n: number,
  rank: number,
): LowRankParts<T> {
  const row = (k: number): T => gamma.subarray(k * n, (k + 1) * n) as T;
  const rows = (first: number): T[] => Array.from({ length: rank }, (_, r) => row(first + r));
  return { g: row(0), U: rows(1), V: rows(1 + rank) };
}

/** Returns γ = diag(g) + U Vᵀ as an N×N matrix. */
export function writeOutLowRank(gamma: FloatArray, n: number, rank: number): Float64Array {
  const { g, U, V } = lowRankParts(gamma, n, rank);
  const full = new Float64Array(n * n);
  for (let r = 0; r < rank; r++) {
    for (let i = 0; i < n; i++) {
      if (U[r][i] === 0) continue;
      for (let j = 0; j < n; j++) full[i * n + j] += U[r][i] * V[r][j];
    }
  }
  for (let i = 0; i < n; i++) full[i * n + i] += g[i];
  return full;
}
