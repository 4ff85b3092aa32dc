/** An affine stage after which each component of the samples has mean 0 and variance 1. */
import { GaussianizeError } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { type Affine, affine } from "./affine.js";

/** `x` is count×n. */
export function standardizing(x: FloatArray, n: number): Affine {
  const count = x.length / n;
  const [sums, squares] = [new Float64Array(n), new Float64Array(n)];
  for (let k = 0; k < x.length; k++) sums[k % n] += x[k];
  const mean = sums.map((sum) => sum / count);
  for (let k = 0; k < x.length; k++) squares[k % n] += (x[k] - mean[k % n]) ** 2;
  const scale = squares.map((sum) => Math.sqrt(count / sum));
  const constant = scale.findIndex((value) => !Number.isFinite(value));
  if (constant >= 0) {
    const what = n === 1 ? "the values" : `component ${constant} of the samples`;
    throw new GaussianizeError(
      `Expected ${what} to vary but all of ${n === 1 ? "them are" : "its values are"} ${mean[constant]}.`,
    );
  }
  return affine({
    dimension: n,
    scale: Float32Array.from(scale),
    shift: Float32Array.from(scale, (value, i) => -mean[i] * value),
  });
}
