/** Rows and matrices in an order that makes sense to those who look at them: that of filterOrder, for filters. */
import type { FloatArray } from "../kernels/kernels.js";

export function rowsInOrder(
  rows: FloatArray,
  order: readonly number[],
  length: number,
): Float32Array {
  const sorted = new Float32Array(order.length * length);
  order.forEach((row, k) => {
    sorted.set(rows.subarray(row * length, (row + 1) * length), k * length);
  });
  return sorted;
}

/** The same order for rows and columns of a square matrix. */
export function matrixInOrder(matrix: FloatArray, order: readonly number[]): Float64Array {
  const n = order.length;
  return Float64Array.from(
    { length: n * n },
    (_, k) => matrix[order[Math.floor(k / n)] * n + order[k % n]],
  );
}
