/** Layout of matrices and batches in the memory of the kernels. */
import type { FloatArray } from "../kernels.js";

/** Dimension padded to a multiple of 8, the width of a register tile. */
export function paddedDimension(n: number): number {
  return Math.ceil(n / 8) * 8;
}

/** Number of samples padded to a multiple of 4, the height of a register tile. */
export function paddedCount(count: number): number {
  return Math.ceil(count / 4) * 4;
}

/**
 * Floats from one row to the next. Rows a multiple of 128 bytes apart would share few sets of the
 * first-level cache, so such strides are made 8 floats longer.
 */
export function rowStride(n: number): number {
  const padded = paddedDimension(n);
  return padded % 32 === 0 ? padded + 8 : padded;
}

/** Bytes of elimination workspace for a padded dimension (kernels/inverse.ts). */
export function inverseWorkspaceBytes(paddedN: number): number {
  return 2 * paddedN * 64;
}

export function copyRowsIn(
  target: Float32Array,
  stride: number,
  source: FloatArray,
  rows: number,
  columns: number,
): void {
  for (let i = 0; i < rows; i++) {
    target.set(source.subarray(i * columns, (i + 1) * columns), i * stride);
  }
}

export function copyRowsOut(
  target: FloatArray,
  source: Float32Array,
  stride: number,
  rows: number,
  columns: number,
): void {
  for (let i = 0; i < rows; i++) {
    target.set(source.subarray(i * stride, i * stride + columns), i * columns);
  }
}

/** Pads an n×n matrix with rows and columns of the identity, so that it stays invertible. */
export function padWithIdentity(matrix: Float32Array, stride: number, n: number): void {
  const padded = paddedDimension(n);
  for (let i = 0; i < padded; i++) {
    const from = i < n ? n : 0;
    matrix.fill(0, i * stride + from, i * stride + padded);
    if (i >= n) matrix[i * stride + i] = 1;
  }
}
