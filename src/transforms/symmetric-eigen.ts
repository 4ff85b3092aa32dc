/** Eigenvalues and eigenvectors of a symmetric matrix, by cyclic Jacobi rotations. */
export interface SymmetricEigen {
  readonly values: Float64Array;
  /** Row k is the eigenvector of values[k]. */
  readonly vectors: Float64Array;
}

const mostSweeps = 60;

/** Cost: some ten sweeps of 6N³ operations. Only +, −, ·, / and √, so the bits are the same on every engine. */
export function symmetricEigen(matrix: ArrayLike<number>, n: number): SymmetricEigen {
  const a = Float64Array.from(matrix);
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let [off, diagonal] = [0, 0];
    for (let i = 0; i < n; i++) {
      diagonal += a[i * n + i] * a[i * n + i];
      for (let j = 0; j < i; j++) off += a[i * n + j] * a[i * n + j];
    }
    if (off <= diagonal * Number.EPSILON * Number.EPSILON) break;
    for (let p = 0; p < n - 1; p++) {
      for (let q = p + 1; q < n; q++) rotate(a, vectors, n, p, q);
    }
  }
  const values = Float64Array.from({ length: n }, (_, i) => a[i * n + i]);
  return { values, vectors };
}

/** Makes a_pq zero: t is the smaller root of t² + 2θt − 1 = 0, the tangent of the angle. */
function rotate(a: Float64Array, vectors: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q];
  if (apq === 0) return;
  const theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(t * t + 1);
  const sine = t * cosine;
  for (let k = 0; k < n; k++) {
    const [akp, akq] = [a[k * n + p], a[k * n + q]];
    a[k * n + p] = cosine * akp - sine * akq;
    a[k * n + q] = sine * akp + cosine * akq;
  }
  for (let k = 0; k < n; k++) {
    const [apk, aqk] = [a[p * n + k], a[q * n + k]];
    a[p * n + k] = cosine * apk - sine * aqk;
    a[q * n + k] = sine * apk + cosine * aqk;
    const [vp, vq] = [vectors[p * n + k], vectors[q * n + k]];
    vectors[p * n + k] = cosine * vp - sine * vq;
    vectors[q * n + k] = sine * vp + cosine * vq;
  }
  a[p * n + q] = 0;
  a[q * n + p] = 0;
}
