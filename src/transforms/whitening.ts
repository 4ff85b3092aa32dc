/** Whitening of samples of mean zero: H C Hᵀ = I, C = E(x xᵀ). */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { type Work, atOnce } from "../parallel/in-turns.js";
import { checkDimension, checkSamples } from "./checks.js";
import { type SymmetricEigen, eigenWork } from "./symmetric-eigen.js";

/**
 * Returns the ZCA whitening (Bell & Sejnowski 1997): H = C^−½, the whitening that changes the data
 * least. `x` is count×n with mean zero; H x has identity covariance.
 */
export function zcaWhitening(x: FloatArray, n: number): Float64Array {
  return atOnce(zcaWork(x, n));
}

/** Interruptible version, for data that may take seconds, such as 1024 dimensions. */
export function* zcaWork(x: FloatArray, n: number): Work<Float64Array> {
  const { values, vectors } = yield* principalAxes(x, n);
  const H = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const scale = 1 / Math.sqrt(values[k]);
    for (let i = 0; i < n; i++) {
      const weight = scale * vectors[k * n + i];
      for (let j = 0; j < n; j++) H[i * n + j] += weight * vectors[k * n + j];
    }
    yield;
  }
  return H;
}

/**
 * Returns the PCA whitening (Pearson 1901; Hotelling 1933): H = Λ^−½ Eᵀ for C = E Λ Eᵀ. Row k of H
 * is the principal axis of the k-th largest variance, divided by the standard deviation along it.
 * `x` is count×n with mean zero.
 */
export function pcaWhitening(x: FloatArray, n: number): Float64Array {
  const { values, vectors } = atOnce(principalAxes(x, n));
  const H = vectors.map((value, index) => value / Math.sqrt(values[Math.floor(index / n)]));
  return arrangeRows(H, n, values);
}

/**
 * Sorts the rows of an n×n matrix by `size`, largest first, and makes the largest entry of each row
 * positive: order and sign are arbitrary in a whitening.
 */
export function arrangeRows(matrix: Float64Array, n: number, size: Float64Array): Float64Array {
  const order = Array.from(size.keys()).sort((a, b) => size[b] - size[a]);
  const arranged = new Float64Array(n * n);
  order.forEach((from, to) => {
    const row = matrix.subarray(from * n, (from + 1) * n);
    const largest = row.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
    for (let j = 0; j < n; j++) arranged[to * n + j] = largest < 0 ? -row[j] : row[j];
  });
  return arranged;
}

/** Returns variances and principal axes, unsorted; rejects data that no H can whiten. */
function* principalAxes(x: FloatArray, n: number): Work<SymmetricEigen> {
  checkDimension(n);
  const count = checkSamples(x, n);
  if (count < n) throw expected("x", `hold at least ${n} samples of ${n} values`, count);
  const axes = yield* eigenWork(yield* secondMoments(x, n), n);
  const largest = axes.values.reduce((a, b) => Math.max(a, b), 0);
  const smallest = axes.values.reduce((a, b) => Math.min(a, b), Infinity);
  if (!(smallest > largest * n * Number.EPSILON)) {
    throw new GaussianizeError(
      "degenerate-data",
      `Expected the data to vary in all ${n} directions but the variance along one is ${smallest} (largest ${largest}).`,
    );
  }
  return axes;
}

/** Samples per block: columns of this length stay in the cache. */
const samplesOfBlock = 64;

/** Returns E(x xᵀ); every entry is summed in the order of the samples. */
function* secondMoments(x: FloatArray, n: number): Work<Float64Array> {
  const sums = new Float64Array(n * n);
  const count = x.length / n;
  const columns = new Float64Array(n * samplesOfBlock);
  for (let first = 0; first < count; first += samplesOfBlock) {
    const samples = Math.min(samplesOfBlock, count - first);
    for (let s = 0; s < samples; s++) {
      for (let i = 0; i < n; i++) columns[i * samplesOfBlock + s] = x[(first + s) * n + i];
    }
    for (let i = 0; i < n; i++) addProducts(sums, columns, n, i, samples);
    yield;
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      sums[i * n + j] /= count;
      sums[j * n + i] = sums[i * n + j];
    }
  }
  return sums;
}

/**
 * sums_ij += Σ_s columns_is columns_js for j ≤ i, four j at a time, with the sums in registers.
 */
function addProducts(
  sums: Float64Array,
  columns: Float64Array,
  n: number,
  i: number,
  samples: number,
): void {
  const own = i * samplesOfBlock;
  let j = 0;
  for (; j + 3 <= i; j += 4) {
    const [a, b] = [j * samplesOfBlock, (j + 1) * samplesOfBlock];
    const [c, d] = [(j + 2) * samplesOfBlock, (j + 3) * samplesOfBlock];
    const place = i * n + j;
    let [p, q, r, t] = [sums[place], sums[place + 1], sums[place + 2], sums[place + 3]];
    for (let s = 0; s < samples; s++) {
      const value = columns[own + s];
      p += value * columns[a + s];
      q += value * columns[b + s];
      r += value * columns[c + s];
      t += value * columns[d + s];
    }
    sums[place] = p;
    sums[place + 1] = q;
    sums[place + 2] = r;
    sums[place + 3] = t;
  }
  for (; j <= i; j++) {
    let sum = sums[i * n + j];
    for (let s = 0; s < samples; s++) sum += columns[own + s] * columns[j * samplesOfBlock + s];
    sums[i * n + j] = sum;
  }
}
