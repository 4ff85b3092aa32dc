import type { FloatArray } from "../kernels/kernels.js";

/** The mean of each component of `x`, count×n. */
export function componentMeans(x: FloatArray, n: number): Float64Array {
  const count = x.length / n;
  const sums = new Float64Array(n);
  for (let k = 0; k < x.length; k++) sums[k % n] += x[k];
  return sums.map((sum) => sum / count);
}

/** x − mean, sample by sample. */
export function centred(x: FloatArray, mean: Float64Array): Float64Array {
  const n = mean.length;
  const moved = new Float64Array(x.length);
  for (let k = 0; k < x.length; k++) moved[k] = x[k] - mean[k % n];
  return moved;
}
