import type { FloatArray, ProductSizes } from "../kernels.js";

export function multiply(
  a: FloatArray,
  b: FloatArray,
  out: FloatArray,
  { rows, inner, columns }: ProductSizes,
): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += a[i * inner + k] * b[k * columns + j];
      out[i * columns + j] = sum;
    }
  }
}

/** Returns A x for a square matrix A. */
export function multiplied(a: FloatArray, x: Float64Array): Float64Array {
  const { length: n } = x;
  const out = new Float64Array(n);
  multiply(a, x, out, { rows: n, inner: n, columns: 1 });
  return out;
}

export function accumulateProduct(
  a: FloatArray,
  b: FloatArray,
  out: FloatArray,
  { rows, inner, columns }: ProductSizes,
): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += a[k * rows + i] * b[k * columns + j];
      out[i * columns + j] += sum;
    }
  }
}

/** Adds ∂L/∂z xᵀ to ∂L/∂H and returns ∂L/∂x = Hᵀ ∂L/∂z. */
export function pullBack(
  H: FloatArray | null,
  x: Float64Array,
  zGradient: Float64Array,
  linearSum: FloatArray | null | undefined,
): Float64Array {
  if (!H) return zGradient;
  const { length: n } = x;
  const xGradient = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (linearSum) linearSum[i * n + j] += zGradient[i] * x[j];
      xGradient[j] += H[i * n + j] * zGradient[i];
    }
  }
  return xGradient;
}

export interface Elimination {
  readonly inverse: Float64Array;
  /** log det; NaN after a failure. */
  readonly logDeterminant: number;
  /** Index of the first non-positive pivot, or −1. */
  readonly failedPivot: number;
}

/** Gauss–Jordan elimination without pivoting; fails at a pivot that is not positive. */
export function eliminate(matrix: Float64Array, n: number): Elimination {
  const a = matrix.slice();
  let logDeterminant = 0;
  for (let p = 0; p < n; p++) {
    const pivot = a[p * n + p];
    if (!(pivot > 0)) return { inverse: a.fill(NaN), logDeterminant: NaN, failedPivot: p };
    logDeterminant += Math.log(pivot);
    eliminateColumn(a, n, p);
  }
  return { inverse: a, logDeterminant, failedPivot: -1 };
}

/** One Gauss–Jordan step in place: column p of A and column p of A⁻¹ trade places. */
function eliminateColumn(a: Float64Array, n: number, p: number): void {
  const pivot = a[p * n + p];
  a[p * n + p] = 1;
  for (let j = 0; j < n; j++) a[p * n + j] /= pivot;
  for (let i = 0; i < n; i++) {
    if (i === p) continue;
    const factor = a[i * n + p];
    a[i * n + p] = 0;
    for (let j = 0; j < n; j++) a[i * n + j] -= factor * a[p * n + j];
  }
}

/** Inverts with row pivoting; returns log |det|, NaN for a singular matrix. */
export function invert(matrix: FloatArray, n: number, inverse: FloatArray): number {
  const a = Float64Array.from(matrix.subarray(0, n * n));
  const order = Array.from({ length: n }, (_, i) => i);
  let logAbsDeterminant = 0;
  for (let p = 0; p < n; p++) {
    swapRows(a, order, n, p, largestRow(a, n, p));
    const pivot = Math.abs(a[p * n + p]);
    if (!(pivot > 0 && pivot < Infinity)) {
      inverse.fill(NaN, 0, n * n);
      return NaN;
    }
    logAbsDeterminant += Math.log(pivot);
    eliminateColumn(a, n, p);
  }
  // Permuted rows of the matrix are permuted columns of its inverse.
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) inverse[i * n + order[j]] = a[i * n + j];
  }
  return logAbsDeterminant;
}

function largestRow(a: Float64Array, n: number, p: number): number {
  let best = p;
  for (let i = p + 1; i < n; i++) {
    if (Math.abs(a[i * n + p]) > Math.abs(a[best * n + p])) best = i;
  }
  return best;
}

function swapRows(a: Float64Array, order: number[], n: number, p: number, q: number): void {
  if (p === q) return;
  [order[p], order[q]] = [order[q], order[p]];
  for (let j = 0; j < n; j++) {
    [a[p * n + j], a[q * n + j]] = [a[q * n + j], a[p * n + j]];
  }
}
