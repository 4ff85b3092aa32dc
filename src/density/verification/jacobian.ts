/**
 * Checks the invertibility of a normalization at one point z, in Float64:
 *
 *   D_i = β_i + Σ_j γ_ij |z_j|^α_ij,   y_i = z_i / D_i^ε_i,   M_ij = ε_i α_ij γ_ij |z_j|^α_ij / D_i
 *   J_ik = ∂y_i/∂z_k = D_i^−ε_i (δ_ik − M_ik z_i / z_k)                               paper eq. (6)
 *
 * J is similar to diag(D_i^−ε_i)(I − M). With all pivots of I − M positive it is an M-matrix, and
 * det J > 0. With ½(J + Jᵀ) positive definite everywhere the normalization is invertible (paper,
 * appendix); this is sufficient, not necessary.
 */
import type { GdnParameters } from "../../kernels/kernels.js";
import { writeOutLowRank } from "../../kernels/low-rank.js";
import { portablePow } from "../../numbers/power.js";
import { largestRowSum, smallestEigenvalue } from "../../transforms/smallest-eigenvalue.js";

export interface JacobianFindings {
  /** Smallest pivot of I − M by elimination without pivoting, up to the first non-positive one. */
  readonly smallestPivot: number;
  /** Smallest eigenvalue of ½(J + Jᵀ). */
  readonly smallestEigenvalue: number;
  /** Whether that is positive by more than its rounding error. */
  readonly isDefinite: boolean;
}

/** Checks points one after the other, in memory that is allocated once. */
export class JacobianProbe {
  private readonly n: number;
  private readonly D: Float64Array;
  /** N×N, or the N values of the diagonal in the diagonal form. */
  private readonly M: Float64Array;
  /** J, then its symmetric part, N×N. */
  private readonly J: Float64Array;
  private readonly parameters: GdnParameters;

  constructor(parameters: GdnParameters) {
    const { form, dimension: n } = parameters;
    this.parameters = withFullPools(parameters);
    this.n = n;
    this.D = new Float64Array(n);
    this.M = new Float64Array(form === "diagonal" ? n : n * n);
    this.J = new Float64Array(form === "diagonal" ? 0 : n * n);
  }

  /** Fills y; returns null if a pool is beyond the range of Float64. */
  look(z: Float64Array, y: Float64Array): JacobianFindings | null {
    const { n, D, M } = this;
    const { form, epsilon } = this.parameters;
    const J = form === "diagonal" ? null : this.jacobian(z);
    if (!J) this.poolOwn(z);
    for (let i = 0; i < n; i++) {
      if (!(D[i] < Infinity)) return null;
      y[i] = z[i] / portablePow(D[i], epsilon[i]);
    }
    if (!J) return this.findingsOfDiagonal();
    symmetrize(J, n);
    const eigenvalue = smallestEigenvalue(J, n);
    return {
      smallestPivot: smallestPivotOfIdentityMinus(M, n),
      smallestEigenvalue: eigenvalue,
      isDefinite: eigenvalue > n * Number.EPSILON * largestRowSum(J, n),
    };
  }

  /** Returns J at z, N×N, valid until the next call; not for the diagonal form. */
  jacobian(z: Float64Array): Float64Array {
    const { n, D, M, J } = this;
    const { epsilon } = this.parameters;
    this.poolAll(z);
    for (let i = 0; i < n; i++) {
      const gain = portablePow(D[i], -epsilon[i]);
      for (let k = 0, ik = i * n; k < n; k++, ik++) {
        // sgn(0) = 0: the mean of both sides of a kink |z_k|^1.
        const pooled = z[k] === 0 ? 0 : z[i] * (M[ik] / z[k]);
        J[ik] = gain * ((i === k ? 1 : 0) - pooled);
      }
    }
    return J;
  }

  private poolOwn(z: Float64Array): void {
    const { n, D, M } = this;
    const { alpha, beta, gamma, epsilon } = this.parameters;
    for (let i = 0; i < n; i++) {
      // A weight of 0 times a power beyond the range would be NaN.
      const pooled = gamma[i] > 0 ? gamma[i] * portablePow(Math.abs(z[i]), alpha[i]) : 0;
      D[i] = beta[i] + pooled;
      M[i] = (epsilon[i] * alpha[i] * pooled) / D[i];
    }
  }

  private poolAll(z: Float64Array): void {
    const { n, D, M } = this;
    const { form, alpha, beta, gamma, epsilon } = this.parameters;
    // With α_ij = α_j, N powers are enough.
    const powers =
      form === "column" ? z.map((value, j) => portablePow(Math.abs(value), alpha[j])) : null;
    for (let i = 0; i < n; i++) {
      D[i] = beta[i];
      for (let j = 0, ij = i * n; j < n; j++, ij++) {
        const exponent = powers ? alpha[j] : alpha[ij];
        const power = powers ? powers[j] : portablePow(Math.abs(z[j]), exponent);
        const pooled = gamma[ij] > 0 ? gamma[ij] * power : 0;
        D[i] += pooled;
        M[ij] = exponent * pooled;
      }
      const share = epsilon[i] / D[i];
      for (let ij = i * n; ij < (i + 1) * n; ij++) M[ij] *= share;
    }
  }

  /** Reads the findings from J and I − M, which are diagonal. */
  private findingsOfDiagonal(): JacobianFindings {
    const { D, M } = this;
    const { epsilon } = this.parameters;
    let [pivot, eigenvalue] = [Infinity, Infinity];
    for (let i = 0; i < M.length; i++) {
      pivot = Math.min(pivot, 1 - M[i]);
      eigenvalue = Math.min(eigenvalue, (1 - M[i]) / portablePow(D[i], epsilon[i]));
    }
    return { smallestPivot: pivot, smallestEigenvalue: eigenvalue, isDefinite: eigenvalue > 0 };
  }
}

/** Expands a low-rank γ to N×N values. */
function withFullPools(parameters: GdnParameters): GdnParameters {
  const { form, dimension: n, rank = 0, gamma } = parameters;
  if (form !== "low-rank") return parameters;
  return { ...parameters, form: "column", gamma: writeOutLowRank(gamma, n, rank) };
}

/** A ← ½(A + Aᵀ) */
function symmetrize(a: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = (a[i * n + j] + a[j * n + i]) / 2;
      a[i * n + j] = mean;
      a[j * n + i] = mean;
    }
  }
}

/** Eliminates I − M in the memory of M, with ⅔ N³ operations. */
function smallestPivotOfIdentityMinus(a: Float64Array, n: number): number {
  for (let k = 0; k < n * n; k++) a[k] = (k % (n + 1) === 0 ? 1 : 0) - a[k];
  let smallest = Infinity;
  for (let p = 0; p < n; p++) {
    const pivot = a[p * n + p];
    smallest = Math.min(smallest, pivot);
    if (!(pivot > 0)) break;
    for (let i = p + 1; i < n; i++) {
      const factor = a[i * n + p] / pivot;
      if (factor === 0) continue;
      for (let j = p + 1; j < n; j++) a[i * n + j] -= factor * a[p * n + j];
    }
  }
  return smallest;
}
