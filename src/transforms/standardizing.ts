import { GaussianizeError } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { type Affine, affine } from "./affine.js";

/** Returns an affine stage that gives each component of `x` (count×n) mean 0 and variance 1. */
export function standardizing(x: FloatArray, n: number): Affine {
  const count = x.length / n;
  const mean = componentMeans(x, n);
  const squares = new Float64Array(n);
  for (let k = 0; k < x.length; k++) {
    const difference = x[k] - mean[k % n];
    squares[k % n] += difference * difference;
  }
  const scale = squares.map((sum) => Math.sqrt(count / sum));
  const constant = scale.findIndex((value) => !Number.isFinite(value));
  if (constant >= 0) {
    const what = n === 1 ? "the values" : `component ${constant} of the samples`;
    throw new GaussianizeError(
      "degenerate-data",
      `Expected ${what} to vary but all of ${n === 1 ? "them are" : "its values are"} ${mean[constant]}.`,
    );
  }
  return affine({
    dimension: n,
    scale: Float32Array.from(scale),
    shift: Float32Array.from(scale, (value, i) => -mean[i] * value),
  });
}

/** Returns the mean of each component of `x` (count×n). */
export function componentMeans(x: FloatArray, n: number): Float64Array {
  const count = x.length / n;
  const sums = new Float64Array(n);
  for (let k = 0; k < x.length; k++) sums[k % n] += x[k];
  return sums.map((sum) => sum / count);
}

/** Returns x − mean for each sample. */
export function centred(x: FloatArray, mean: Float64Array): Float64Array {
  const n = mean.length;
  const moved = new Float64Array(x.length);
  for (let k = 0; k < x.length; k++) moved[k] = x[k] - mean[k % n];
  return moved;
}
