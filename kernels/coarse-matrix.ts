/**
 * Products with a non-negative n×n matrix in 16 bits: half the memory and a third of the
 * instructions of Float32. About four digits are right: enough for a step of the inversion
 * (krylov.ts) and for probe gradients (krylov-sums.ts).
 *
 * Off the diagonal W_ij ≈ unit_i q_ij with integers q_ij. Each unit is as small as two bounds
 * allow: q_ij < 2¹⁵, and Σ_j q_ij < 2³¹/LEVELS, so that a sum of products with integers up to
 * LEVELS fits in 32 bits. The diagonal, which alone can make I − M nearly singular, stays in
 * Float32. Memory layout: the diagonal, the units, then the rows of q.
 */
import { storeTile, transpose } from "./products";
import { multiplyAdd } from "./simd";

/** Number of positive (and of negative) levels to which a vector is rounded. */
@inline
const LEVELS: f32 = 8192;
@inline
const LARGEST_ENTRY: f32 = 32767;
/** Values that are all smaller are rounded to 0. */
@inline
export const SMALLEST_SIZE: f32 = 1e-30;
/** 2³¹/LEVELS minus n/2 for the rounding of the entries (n up to 8192). */
@inline
const LARGEST_SUM: f32 = 258000;

/** Rounds four floats times `factor`, if below 2²², to integers: adding 1.5·2²³ does it. */
@inline
export function roundFour(address: usize, factor: v128): v128 {
  const sum = f32x4.add(f32x4.mul(v128.load(address), factor), f32x4.splat(12582912));
  return i32x4.sub(sum, i32x4.splat(0x4b400000));
}

/** Rounds eight floats times `factor` to 16-bit integers. */
@inline
function roundEight(address: usize, factor: v128): v128 {
  return i16x8.narrow_i32x4_s(roundFour(address, factor), roundFour(address + 16, factor));
}

@inline
export function largestLane(v: v128): f32 {
  const pairs = f32x4.max(v, v128.shuffle<i64>(v, v, 1, 0));
  return max(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

/** Makes the coarse copy of a matrix; sets the diagonal of the matrix to 0. */
export function coarsen(coarse: usize, matrix: usize, stride: usize, n: usize): void {
  const bytes = n << 2;
  let q = coarse + 2 * bytes;
  for (let i: usize = 0; i < bytes; i += 4) {
    store<f32>(coarse + i, load<f32>(matrix + i));
    store<f32>(matrix + i, 0);
    let largest = f32x4.splat(0), sums = largest;
    for (let k: usize = 0; k < bytes; k += 16) {
      const v = v128.load(matrix + k);
      largest = f32x4.pmax(largest, v);
      sums = f32x4.add(sums, v);
    }
    const sum = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3);
    const unit = max(largestLane(largest) / LARGEST_ENTRY, sum / LARGEST_SUM);
    store<f32>(coarse + bytes + i, unit);
    const factor = f32x4.splat(unit > 0 ? 1 / unit : 0);
    for (let k: usize = 0; k < bytes; k += 32) {
      v128.store(q, roundEight(matrix + k, factor));
      q += 16;
    }
    matrix += stride;
  }
}

/** Returns four sums of integer products, for four rows of `rowBytes`. Exported like outerTile. */
export function fourCoarseProducts(row: usize, rowBytes: usize, v: usize): v128 {
  const row1 = row + rowBytes, row2 = row1 + rowBytes, row3 = row2 + rowBytes;
  let s0 = i32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const factor = v128.load(v + k);
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load(row + k), factor));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load(row1 + k), factor));
    s2 = i32x4.add(s2, i32x4.dot_i16x8_s(v128.load(row2 + k), factor));
    s3 = i32x4.add(s3, i32x4.dot_i16x8_s(v128.load(row3 + k), factor));
  }
  const low = i32x4.add(v128.shuffle<i32>(s0, s1, 0, 4, 2, 6), v128.shuffle<i32>(s0, s1, 1, 5, 3, 7));
  const high = i32x4.add(v128.shuffle<i32>(s2, s3, 0, 4, 2, 6), v128.shuffle<i32>(s2, s3, 1, 5, 3, 7));
  return i32x4.add(v128.shuffle<i32>(low, high, 0, 1, 4, 5), v128.shuffle<i32>(low, high, 2, 3, 6, 7));
}

/** Writes n products a·b to `row`, and rounds them there to 16-bit integers. Returns their unit. */
export function roundProducts(row: usize, a: usize, b: usize, n: usize): f32 {
  const bytes = n << 2;
  let largest = f32x4.splat(0);
  for (let k: usize = 0; k < bytes; k += 16) {
    const v = f32x4.mul(v128.load(a + k), v128.load(b + k));
    largest = f32x4.pmax(largest, f32x4.abs(v));
    v128.store(row + k, v);
  }
  const size = largestLane(largest);
  // Below the smallest size, the factor would overflow.
  const factor = f32x4.splat(size > SMALLEST_SIZE ? LEVELS / size : 0);
  for (let k: usize = 0; k < bytes; k += 32) v128.store(row + (k >> 1), roundEight(row + k, factor));
  return size / LEVELS;
}

/** out = p − a·W(b·p); `rounded` is scratch for b·p: n floats, overwritten by n integers. */
export function multiplyCoarse(out: usize, p: usize, coarse: usize, a: usize, b: usize, rounded: usize, n: usize): void {
  const bytes = n << 2;
  // The diagonal uses the exact values.
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(out + k, f32x4.mul(v128.load(coarse + k), f32x4.mul(v128.load(b + k), v128.load(p + k))));
  }
  const level = f32x4.splat(roundProducts(rounded, b, p, n));
  let row = coarse + 2 * bytes;
  for (let k: usize = 0; k < bytes; k += 16) {
    const sums = f32x4.convert_i32x4_s(fourCoarseProducts(row, n << 1, rounded));
    const unit = f32x4.mul(v128.load(coarse + bytes + k), level);
    const product = multiplyAdd(sums, unit, v128.load(out + k));
    v128.store(out + k, f32x4.sub(v128.load(p + k), f32x4.mul(v128.load(a + k), product)));
    row += n << 3;
  }
}

/** outerTile for integers: each 32 bits of a and b hold two values, for two values of k. */
export function coarseTile(c: usize, ldc: usize, a: usize, lda: usize, b: usize, pairs: usize): void {
  const zero = i32x4.splat(0);
  let c00 = zero, c01 = zero, c10 = zero, c11 = zero;
  let c20 = zero, c21 = zero, c30 = zero, c31 = zero;
  for (const end = a + pairs * lda; a < end; ) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let s = v128.load_splat<i32>(a);
    c00 = i32x4.add(c00, i32x4.dot_i16x8_s(s, b0));
    c01 = i32x4.add(c01, i32x4.dot_i16x8_s(s, b1));
    s = v128.load_splat<i32>(a, 4);
    c10 = i32x4.add(c10, i32x4.dot_i16x8_s(s, b0));
    c11 = i32x4.add(c11, i32x4.dot_i16x8_s(s, b1));
    s = v128.load_splat<i32>(a, 8);
    c20 = i32x4.add(c20, i32x4.dot_i16x8_s(s, b0));
    c21 = i32x4.add(c21, i32x4.dot_i16x8_s(s, b1));
    s = v128.load_splat<i32>(a, 12);
    c30 = i32x4.add(c30, i32x4.dot_i16x8_s(s, b0));
    c31 = i32x4.add(c31, i32x4.dot_i16x8_s(s, b1));
    a += lda;
    b += 32;
  }
  storeTile(c, ldc, c00, c01, c10, c11, c20, c21, c30, c31);
}

/**
 * C = A·B in integers: `rows` rows of n rounded values at a, and B in strips of eight columns of
 * pairs. `scratch` holds Aᵀ.
 */
export function coarseProduct(c: usize, a: usize, stride: usize, strips: usize, rows: usize, n: usize, scratch: usize): void {
  const pairs = n >> 1;
  transpose(scratch, rows << 2, a, stride, rows, pairs);
  for (let j: usize = 0; j < n << 2; j += 32) {
    for (let i: usize = 0; i < rows; i += 4) {
      coarseTile(c + i * stride + j, stride, scratch + (i << 2), rows << 2, strips, pairs);
    }
    strips += pairs << 5;
  }
}
