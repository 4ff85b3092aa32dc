/** Matrices for the tests of elimination, and error bounds. */
import type { FloatArray } from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import type { RandomStream } from "../../src/random/random-stream.js";

/**
 * Returns M ≥ 0 with some zeros and row sums from 0.3 to 0.95, so that I − M is an M-matrix with
 * positive pivots.
 */
export function randomContraction(random: RandomStream, n: number): Float32Array {
  const m = new Float32Array(n * n);
  for (let i = 0; i < n; i += 1) {
    const row = Float64Array.from({ length: n }, () =>
      random.integer(5) === 0 ? 0 : random.uniform(),
    );
    const sum = row.reduce((total, value) => total + value, 0.1);
    const share = 0.3 + 0.65 * random.uniform();
    for (let j = 0; j < n; j += 1) m[i * n + j] = (share * row[j]) / sum;
  }
  return m;
}

export function identityMinus(m: FloatArray, n: number): Float64Array {
  return Float64Array.from(m, (value, k) => (k % (n + 1) === 0 ? 1 : 0) - value);
}

export function permutationMatrix(order: ArrayLike<number>): Float32Array {
  const n = order.length;
  const matrix = new Float32Array(n * n);
  for (let i = 0; i < n; i += 1) matrix[i * n + order[i]] = 1;
  return matrix;
}

/** Returns A·B of n×n matrices in Float64. */
export function product(a: FloatArray, b: FloatArray, n: number): Float64Array {
  const out = new Float64Array(n * n);
  referenceKernels.multiply(a, b, out, { rows: n, inner: n, columns: n });
  return out;
}

export interface InverseBounds {
  /** |A⁻¹||A||A⁻¹|: bound for the change of A⁻¹, entry by entry, per relative change of A. */
  readonly inverse: Float64Array;
  /** |A||A⁻¹||A||A⁻¹|: the same for A·A⁻¹. */
  readonly residual: Float64Array;
  /** trace |A⁻¹||A|: the same for log |det A|. */
  readonly logDeterminant: number;
}

export function inverseBounds(matrix: FloatArray, inverse: FloatArray, n: number): InverseBounds {
  const [a, x] = [matrix.map(Math.abs), inverse.map(Math.abs)];
  const xa = product(x, a, n);
  let trace = 0;
  for (let i = 0; i < n; i += 1) trace += xa[i * n + i];
  const ofInverse = product(xa, x, n);
  return { inverse: ofInverse, residual: product(a, ofInverse, n), logDeterminant: trace };
}
