/**
 * Eigenvalues and eigenvectors of a symmetric matrix A = Vᵀ Λ V (Golub & Van Loan 2013, §8.3):
 * Householder reflections make it tridiagonal, A = Qᵀ T Q, and implicit QL steps with Wilkinson's
 * shift make T diagonal.
 */
import { GaussianizeError } from "../errors.js";
import { type Work, atOnce } from "../parallel/in-turns.js";

export interface SymmetricEigen {
  readonly values: Float64Array;
  /** N×N; row k is the eigenvector of values[k]. */
  readonly vectors: Float64Array;
}

/** Largest number of steps per eigenvalue; two or three are usual. */
const mostIterations = 60;

/**
 * Returns all eigenvalues and eigenvectors, at a cost of about 9N³ operations. It uses only +, −,
 * ·, / and √, so the bits are the same on every engine.
 */
export function symmetricEigen(matrix: ArrayLike<number>, n: number): SymmetricEigen {
  return atOnce(eigenWork(matrix, n));
}

/** Interruptible version, for matrices that may take seconds. */
export function* eigenWork(matrix: ArrayLike<number>, n: number): Work<SymmetricEigen> {
  let largest = 0;
  for (let k = 0; k < n * n; k++) largest = Math.max(largest, Math.abs(matrix[k]));
  // Scaled, so that squares do not overflow.
  const unit = largest > 0 ? largest : 1;
  const a = Float64Array.from(matrix, (value) => value / unit);
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  const off = yield* tridiagonalize(a, vectors, n);
  const values = Float64Array.from({ length: n }, (_, i) => a[i * n + i]);
  yield* diagonalize(values, off, vectors, n);
  return { values: values.map((value) => value * unit), vectors };
}

/** A ← P A P, V ← P V for reflections P = I − τ v vᵀ; returns off[k] = T_{k,k+1}. */
function* tridiagonalize(a: Float64Array, vectors: Float64Array, n: number): Work<Float64Array> {
  const off = new Float64Array(n);
  const [v, w] = [new Float64Array(n), new Float64Array(n)];
  for (let k = 0; k < n - 1; k++) {
    const { tau, length } = reflection(a, v, n, k);
    off[k] = length;
    if (tau === 0) continue;
    reflectBothSides(a, v, w, tau, n, k + 1);
    reflectRows(vectors, v, w, tau, n, k + 1);
    yield;
  }
  return off;
}

/** Finds v whose reflection maps column k below the diagonal to (length, 0, …, 0). */
function reflection(
  a: Float64Array,
  v: Float64Array,
  n: number,
  k: number,
): { readonly tau: number; readonly length: number } {
  const first = a[(k + 1) * n + k];
  let largest = 0;
  for (let i = k + 1; i < n; i++) largest = Math.max(largest, Math.abs(a[i * n + k]));
  let squares = 0;
  // Scaled again, so that the squares of a small column do not underflow.
  for (let i = k + 1; i < n; i++) {
    v[i] = largest === 0 ? 0 : a[i * n + k] / largest;
    squares += v[i] * v[i];
  }
  const rest = squares - v[k + 1] * v[k + 1];
  if (rest <= 0) return { tau: 0, length: first };
  const norm = Math.sqrt(squares);
  // The sign opposite to the first component, so that nothing cancels.
  const length = v[k + 1] > 0 ? -norm : norm;
  v[k + 1] -= length;
  return { tau: 2 / (rest + v[k + 1] * v[k + 1]), length: length * largest };
}

/** A − v wᵀ − w vᵀ with w = τ A v − ½ τ (τ vᵀ A v) v, over the rows and columns from `first` on. */
function reflectBothSides(
  a: Float64Array,
  v: Float64Array,
  w: Float64Array,
  tau: number,
  n: number,
  first: number,
): void {
  let product = 0;
  for (let i = first; i < n; i++) {
    let sum = 0;
    for (let j = first; j < n; j++) sum += a[i * n + j] * v[j];
    w[i] = tau * sum;
    product += v[i] * w[i];
  }
  const half = (tau * product) / 2;
  for (let i = first; i < n; i++) w[i] -= half * v[i];
  for (let i = first; i < n; i++) {
    const [vi, wi] = [v[i], w[i]];
    for (let j = first; j < n; j++) a[i * n + j] -= vi * w[j] + wi * v[j];
  }
}

/** V − τ v (vᵀ V) */
function reflectRows(
  vectors: Float64Array,
  v: Float64Array,
  w: Float64Array,
  tau: number,
  n: number,
  first: number,
): void {
  w.fill(0);
  for (let i = first; i < n; i++) {
    for (let j = 0; j < n; j++) w[j] += v[i] * vectors[i * n + j];
  }
  for (let i = first; i < n; i++) {
    const scale = tau * v[i];
    for (let j = 0; j < n; j++) vectors[i * n + j] -= scale * w[j];
  }
}

/** Runs QL steps, one eigenvalue after the other, until the off-diagonal entries are negligible. */
function* diagonalize(
  values: Float64Array,
  off: Float64Array,
  vectors: Float64Array,
  n: number,
): Work<void> {
  let largest = 0;
  for (let k = 0; k < n; k++) largest = Math.max(largest, Math.abs(values[k]), Math.abs(off[k]));
  for (let l = 0; l < n; l++) {
    for (let iteration = 0; ; iteration++) {
      // The zero eigenvalues of a singular matrix are rounding errors, and never separate from
      // each other.
      const least = iteration < mostIterations / 2 ? 0 : largest;
      const m = endOfBlock(values, off, l, n, least);
      if (m === l) break;
      if (iteration === mostIterations) {
        throw new GaussianizeError(
          "invalid-argument",
          "Cannot find the eigenvalues of a symmetric matrix. Check that all its entries are finite.",
        );
      }
      stepQl(values, off, vectors, n, l, m);
      yield;
    }
  }
}

/** Returns the first m ≥ l where off[m] is negligible compared with its neighbours or `least`. */
function endOfBlock(
  values: Float64Array,
  off: Float64Array,
  l: number,
  n: number,
  least: number,
): number {
  let m = l;
  while (m < n - 1) {
    const around = Math.abs(values[m]) + Math.abs(values[m + 1]);
    if (Math.abs(off[m]) <= Number.EPSILON * Math.max(around, least)) break;
    m++;
  }
  return m;
}

/** One QL step with implicit shift on the block l … m; rotations chase the bulge upwards. */
function stepQl(
  d: Float64Array,
  e: Float64Array,
  vectors: Float64Array,
  n: number,
  l: number,
  m: number,
): void {
  const half = (d[l + 1] - d[l]) / (2 * e[l]);
  const root = Math.sqrt(half * half + 1);
  let g = d[m] - d[l] + e[l] / (half + (half < 0 ? -root : root));
  let [sine, cosine, shift] = [1, 1, 0];
  for (let i = m - 1; i >= l; i--) {
    const f = sine * e[i];
    const b = cosine * e[i];
    const radius = Math.sqrt(f * f + g * g);
    e[i + 1] = radius;
    if (radius === 0) {
      // The block splits here.
      d[i + 1] -= shift;
      e[m] = 0;
      return;
    }
    sine = f / radius;
    cosine = g / radius;
    const next = d[i + 1] - shift;
    const r = (d[i] - next) * sine + 2 * cosine * b;
    shift = sine * r;
    d[i + 1] = next + shift;
    g = cosine * r - b;
    rotateRows(vectors, n, i, sine, cosine);
  }
  d[l] -= shift;
  e[l] = g;
  e[m] = 0;
}

function rotateRows(
  vectors: Float64Array,
  n: number,
  i: number,
  sine: number,
  cosine: number,
): void {
  const [upper, lower] = [i * n, (i + 1) * n];
  for (let k = 0; k < n; k++) {
    const a = vectors[upper + k];
    const b = vectors[lower + k];
    vectors[lower + k] = sine * a + cosine * b;
    vectors[upper + k] = cosine * a - sine * b;
  }
}
