import { largestRowSum } from "./smallest-eigenvalue.js";

/** Largest number of steps: a singular value of 1e-16 grows to 1 in 91 steps. */
const mostSteps = 100;

/**
 * Returns (A Aᵀ)^−½ A, the orthogonal matrix nearest to A (n×n), by the iteration of Hyvärinen
 * 1999:
 *
 *   A ← 3/2 A − 1/2 A Aᵀ A, from an A whose singular values are at most 1
 *
 * There is no division by a small number, and the result is orthogonal to the last digits however
 * badly conditioned A is. Returns null if A is exactly singular (if rounding hides that, some
 * direction completes the result). Cost: 2N³ multiplications per step, about ten steps.
 */
export function nearestOrthogonal(A: Float64Array, n: number): Float64Array | null {
  const transposed = A.map((_, k) => A[(k % n) * n + Math.floor(k / n)]);
  // ‖A‖₂ ≤ √(‖A‖₁ ‖A‖∞)
  const bound = Math.sqrt(largestRowSum(A, n)) * Math.sqrt(largestRowSum(transposed, n));
  let X = A.map((value) => value / bound);
  for (let step = 0; step < mostSteps; step++) {
    const gram = productWithTransposed(X, n);
    // Each entry of the Gram matrix is a sum of n products.
    if (differenceFromIdentity(gram, n) <= 4 * n * Number.EPSILON) return X;
    const cubic = product(gram, X, n);
    X = X.map((value, k) => 1.5 * value - 0.5 * cubic[k]);
  }
  return null;
}

/** Returns the largest entry of |A − I|. */
export function differenceFromIdentity(A: Float64Array, n: number): number {
  let largest = 0;
  for (let k = 0; k < A.length; k++) {
    largest = Math.max(largest, Math.abs(A[k] - (k % (n + 1) === 0 ? 1 : 0)));
  }
  return largest;
}

/** Returns A·B in Float64: Float32 rounding errors would add up over the iterations. */
export function product(A: Float64Array, B: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      const weight = A[i * n + k];
      for (let j = 0; j < n; j++) out[i * n + j] += weight * B[k * n + j];
    }
  }
  return out;
}

/** A·Aᵀ */
function productWithTransposed(A: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += A[i * n + k] * A[j * n + k];
      out[i * n + j] = sum;
      out[j * n + i] = sum;
    }
  }
  return out;
}
