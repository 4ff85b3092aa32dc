/** Filters in an order that makes sense to those who look at them. */
import type { FloatArray } from "../kernels/kernels.js";

/** Indices of filters (rows of size² values) from coarse to fine: by the mean of their frequencies, weighted by power. */
export function coarseToFine(filters: FloatArray, size: number): number[] {
  const area = size * size;
  const frequencies = Array.from({ length: filters.length / area }, (_, k) =>
    meanFrequency(filters.subarray(k * area, (k + 1) * area), size),
  );
  return [...frequencies.keys()].sort((a, b) => frequencies[a] - frequencies[b]);
}

/** In cycles per pixel, from the discrete Fourier transform. */
function meanFrequency(filter: FloatArray, size: number): number {
  let [sum, total] = [0, 0];
  for (let v = 0; v < size; v++) {
    for (let u = 0; u < size; u++) {
      let [real, imaginary] = [0, 0];
      for (let k = 0; k < filter.length; k++) {
        const phase = (2 * Math.PI * (u * (k % size) + v * Math.floor(k / size))) / size;
        real += filter[k] * Math.cos(phase);
        imaginary += filter[k] * Math.sin(phase);
      }
      const power = real * real + imaginary * imaginary;
      sum += (power * Math.hypot(Math.min(u, size - u), Math.min(v, size - v))) / size;
      total += power;
    }
  }
  return sum / total;
}

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
