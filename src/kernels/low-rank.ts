/**
 * Pools of low rank: γ = diag(g) + U Vᵀ with g, U, V ≥ 0 and N×R matrices U and V, in one array of
 * (2R + 1)×N values, each row one value a component:
 *
 *   row 0          g
 *   rows 1 … R     the columns of U:  U_ir in row 1 + r, place i
 *   rows R+1 … 2R  the columns of V:  V_jr in row 1 + R + r, place j
 *
 * With α_ij = α_j, u_j = |z_j|^α_j and D = β + g∘u + U (Vᵀu), the matrix that has to be inverted is
 *
 *   I − M = diag(E) − A Bᵀ,   E_i = 1 − ε_i α_i g_i u_i / D_i,   A_ir = ε_i U_ir / D_i,
 *   B_jr = α_j u_j V_jr
 *
 * and needs no more than that of an R×R matrix (Woodbury):
 *
 *   K = I_R − Bᵀ E⁻¹ A,   det(I − M) = Π_i E_i · det K,   (I − M)⁻¹ = E⁻¹ + E⁻¹ A K⁻¹ Bᵀ E⁻¹
 *
 * Where I − M is a nonsingular M-matrix, so are diag(E) and its Schur complement K: E_i > 0, the
 * elimination of K has positive pivots without any pivoting, and K⁻¹ ≥ 0. What fails is the first
 * component with E_i ≤ 0, or the last of all where K has a pivot that is not positive.
 */
import type { FloatArray } from "./kernels.js";

/** g, U and V of an array as above; `U[r]` and `V[r]` are columns, N values. */
export interface LowRankParts<T extends FloatArray> {
  readonly g: T;
  readonly U: readonly T[];
  readonly V: readonly T[];
}

/** Views, not copies. */
export function lowRankParts<T extends FloatArray>(
  gamma: T,
  n: number,
  rank: number,
): LowRankParts<T> {
  const row = (k: number): T => gamma.subarray(k * n, (k + 1) * n) as T;
  const rows = (first: number): T[] => Array.from({ length: rank }, (_, r) => row(first + r));
  return { g: row(0), U: rows(1), V: rows(1 + rank) };
}

/** γ = diag(g) + U Vᵀ as an N×N matrix. */
export function writeOutLowRank(gamma: FloatArray, n: number, rank: number): Float64Array {
  const { g, U, V } = lowRankParts(gamma, n, rank);
  const full = new Float64Array(n * n);
  for (let r = 0; r < rank; r++) {
    const [ofRow, ofColumn] = [U[r], V[r]];
    for (let i = 0; i < n; i++) {
      if (ofRow[i] === 0) continue;
      for (let j = 0; j < n; j++) full[i * n + j] += ofRow[i] * ofColumn[j];
    }
  }
  for (let i = 0; i < n; i++) full[i * n + i] += g[i];
  return full;
}
