/**
 * Smallest eigenvalue of a symmetric matrix, without the others: Householder reflections make the
 * matrix tridiagonal, and bisection finds the first eigenvalue.
 *
 *   A ← (I − τ v vᵀ) A (I − τ v vᵀ) = A − v wᵀ − w vᵀ,   p = τ A v,   w = p − ½ τ (pᵀ v) v
 *
 * Cost: 4/3 N³ operations for the reflections, about 60 N divisions for the bisection.
 */
interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** below[i] is the entry in row i, column i − 1; below[0] is 0. */
  readonly below: Float64Array;
}

/** Resolves 2^−100 of the norm, far below the rounding error of an eigenvalue near 0. */
const mostHalvings = 100;

/**
 * Returns the smallest eigenvalue, with an error of order N · 2^−53 · ‖A‖; NaN if an entry is not
 * finite. Reads only the lower triangle.
 */
export function smallestEigenvalue(matrix: ArrayLike<number>, n: number): number {
  const a = Float64Array.from(matrix);
  let largest = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const size = Math.abs(a[i * n + j]);
      if (!(size < Infinity)) return NaN;
      largest = Math.max(largest, size);
    }
  }
  if (largest === 0) return 0;
  // Scaled to at most 1, so that squares do not overflow.
  for (let k = 0; k < a.length; k++) a[k] /= largest;
  return largest * bisect(tridiagonalize(a, n));
}

/** Works from the last row upwards, so that every vector is the start of a row. */
function tridiagonalize(a: Float64Array, n: number): Tridiagonal {
  const below = new Float64Array(n);
  const w = new Float64Array(n);
  for (let i = n - 1; i > 0; i--) {
    const v = a.subarray(i * n, i * n + i);
    let squares = 0;
    for (let j = 0; j < i - 1; j++) squares += v[j] * v[j];
    const last = v[i - 1];
    below[i] = last;
    if (squares === 0) continue;
    const norm = Math.sqrt(squares + last * last);
    // This sign adds to |v_{i−1}|, so that no digits are lost.
    below[i] = last > 0 ? -norm : norm;
    v[i - 1] = last - below[i];
    reflect(a, n, i, v, 2 / (squares + v[i - 1] * v[i - 1]), w);
  }
  const diagonal = Float64Array.from({ length: n }, (_, i) => a[i * n + i]);
  return { diagonal, below };
}

/** A ← A − v wᵀ − w vᵀ in the lower triangle of the leading `size` rows. */
function reflect(
  a: Float64Array,
  n: number,
  size: number,
  v: Float64Array,
  tau: number,
  w: Float64Array,
): void {
  // A v, where row j of the lower triangle is also column j of the upper one.
  for (let j = 0; j < size; j++) {
    const row = j * n;
    const v_j = v[j];
    let sum = a[row + j] * v_j;
    for (let k = 0; k < j; k++) {
      sum += a[row + k] * v[k];
      w[k] += a[row + k] * v_j;
    }
    w[j] = sum;
  }
  let product = 0;
  for (let j = 0; j < size; j++) {
    w[j] *= tau;
    product += w[j] * v[j];
  }
  const share = (tau * product) / 2;
  for (let j = 0; j < size; j++) w[j] -= share * v[j];
  for (let j = 0; j < size; j++) {
    const row = j * n;
    const [v_j, w_j] = [v[j], w[j]];
    for (let k = 0; k <= j; k++) a[row + k] -= v_j * w[k] + w_j * v[k];
  }
}

/** Searches between Gershgorin's lower bound and the smallest diagonal entry. */
function bisect({ diagonal, below }: Tridiagonal): number {
  const n = diagonal.length;
  let [low, high] = [Infinity, Infinity];
  for (let i = 0; i < n; i++) {
    const radius = Math.abs(below[i]) + (i + 1 < n ? Math.abs(below[i + 1]) : 0);
    low = Math.min(low, diagonal[i] - radius);
    high = Math.min(high, diagonal[i]);
  }
  const squares = below.map((value) => value * value);
  for (let step = 0; step < mostHalvings; step++) {
    if (high - low <= Number.EPSILON * Math.max(Math.abs(low), Math.abs(high))) break;
    const middle = low + (high - low) / 2;
    if (hasEigenvalueBelow(diagonal, squares, middle)) high = middle;
    else low = middle;
  }
  return low + (high - low) / 2;
}

/** Uses Sturm's theorem: T − x I has as many negative pivots as T has eigenvalues below x. */
function hasEigenvalueBelow(diagonal: Float64Array, squares: Float64Array, x: number): boolean {
  let pivot = 1;
  for (let i = 0; i < diagonal.length; i++) {
    pivot = diagonal[i] - x - squares[i] / pivot;
    if (pivot < 0) return true;
    // A pivot of 0 counts as tiny: then the next pivot is −∞, or unchanged if its square is 0.
    if (pivot === 0) pivot = Number.MIN_VALUE;
  }
  return false;
}

/** Returns max_i Σ_j |A_ij| of an n×n matrix, which bounds the sizes of its eigenvalues. */
export function largestRowSum(A: Float64Array, n: number): number {
  let largest = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.abs(A[i * n + j]);
    largest = Math.max(largest, sum);
  }
  return largest;
}
