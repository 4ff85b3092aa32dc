import { GaussianizeError } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { checkSamples } from "./gdn-parameters.js";
import { symmetricEigen } from "./symmetric-eigen.js";

/**
 * ZCA whitening (Bell & Sejnowski 1997): H = C^−½, the whitening that changes the data least, for samples of mean zero.
 * H x then has identity covariance. `x` is count×n.
 */
export function zcaWhitening(x: FloatArray, n: number): Float64Array {
  checkSamples(x, n);
  const covariance = secondMoments(x, n);
  const { values, vectors } = symmetricEigen(covariance, n);
  const largest = values.reduce((a, b) => Math.max(a, b), 0);
  const smallest = values.reduce((a, b) => Math.min(a, b), Infinity);
  if (!(smallest > largest * n * Number.EPSILON)) {
    throw new GaussianizeError(
      `Expected the data to vary in all ${n} directions but the variance along one is ${smallest} (largest ${largest}).`,
    );
  }
  const H = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const scale = 1 / Math.sqrt(values[k]);
    for (let i = 0; i < n; i++) {
      const weight = scale * vectors[k * n + i];
      for (let j = 0; j < n; j++) H[i * n + j] += weight * vectors[k * n + j];
    }
  }
  return H;
}

/** E(x xᵀ) */
function secondMoments(x: FloatArray, n: number): Float64Array {
  const sums = new Float64Array(n * n);
  const count = x.length / n;
  for (let s = 0; s < count; s++) {
    for (let i = 0; i < n; i++) {
      const xi = x[s * n + i];
      for (let j = 0; j <= i; j++) sums[i * n + j] += xi * x[s * n + j];
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      sums[i * n + j] /= count;
      sums[j * n + i] = sums[i * n + j];
    }
  }
  return sums;
}
