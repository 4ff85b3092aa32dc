/**
 * Matrix products. All operands are row-major with a leading dimension `ld…` in bytes; the caller
 * pads the sizes to multiples of 4 (rows) and 8 (columns).
 */
import { multiplyAdd } from "./simd";
import { packStrips } from "./tile";

/** Writes four rows of eight columns. */
@inline
export function storeTile(
  c: usize, ldc: usize,
  c00: v128, c01: v128, c10: v128, c11: v128, c20: v128, c21: v128, c30: v128, c31: v128,
): void {
  const row1 = c + ldc, row2 = row1 + ldc, row3 = row2 + ldc;
  v128.store(c, c00);
  v128.store(c, c01, 16);
  v128.store(row1, c10);
  v128.store(row1, c11, 16);
  v128.store(row2, c20);
  v128.store(row2, c21, 16);
  v128.store(row3, c30);
  v128.store(row3, c31, 16);
}

/**
 * Four rows and eight columns of C (+)= Σ_k A[k][·]ᵀ B[k][·]: eight accumulators stay in registers.
 * Exported and not nested in another loop, for the reason given in tile.ts.
 */
export function outerTile(
  c: usize, ldc: usize, a: usize, lda: usize, b: usize, ldb: usize, depth: usize, accumulate: bool,
): void {
  const row1 = c + ldc, row2 = row1 + ldc, row3 = row2 + ldc;
  const zero = f32x4.splat(0);
  let c00 = zero, c01 = zero, c10 = zero, c11 = zero;
  let c20 = zero, c21 = zero, c30 = zero, c31 = zero;
  for (const end = a + depth * lda; a < end; ) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let s = v128.load_splat<f32>(a);
    c00 = multiplyAdd(s, b0, c00);
    c01 = multiplyAdd(s, b1, c01);
    s = v128.load_splat<f32>(a, 4);
    c10 = multiplyAdd(s, b0, c10);
    c11 = multiplyAdd(s, b1, c11);
    s = v128.load_splat<f32>(a, 8);
    c20 = multiplyAdd(s, b0, c20);
    c21 = multiplyAdd(s, b1, c21);
    s = v128.load_splat<f32>(a, 12);
    c30 = multiplyAdd(s, b0, c30);
    c31 = multiplyAdd(s, b1, c31);
    a += lda;
    b += ldb;
  }
  if (accumulate) {
    c00 = f32x4.add(c00, v128.load(c));
    c01 = f32x4.add(c01, v128.load(c, 16));
    c10 = f32x4.add(c10, v128.load(row1));
    c11 = f32x4.add(c11, v128.load(row1, 16));
    c20 = f32x4.add(c20, v128.load(row2));
    c21 = f32x4.add(c21, v128.load(row2, 16));
    c30 = f32x4.add(c30, v128.load(row3));
    c31 = f32x4.add(c31, v128.load(row3, 16));
  }
  storeTile(c, ldc, c00, c01, c10, c11, c20, c21, c30, c31);
}

/**
 * C (+)= Σ_k A[k]ᵀ B[k], with A depth×rows, B depth×columns, C rows×columns.
 * With samples k, this accumulates a parameter gradient.
 */
export function outerProduct(
  c: usize, ldc: usize, a: usize, lda: usize, b: usize, ldb: usize,
  depth: usize, rows: usize, columns: usize, accumulate: bool,
): void {
  // A strip of eight columns of B stays in the first-level cache for all rows.
  for (let j: usize = 0; j < columns; j += 8) {
    for (let i: usize = 0; i < rows; i += 4) {
      outerTile(c + i * ldc + (j << 2), ldc, a + (i << 2), lda, b + (j << 2), ldb, depth, accumulate);
    }
  }
}

/** target = sourceᵀ for a rows×columns source, both multiples of 4. */
export function transpose(
  target: usize, ldt: usize, source: usize, lds: usize, rows: usize, columns: usize,
): void {
  for (let i: usize = 0; i < rows; i += 4) {
    for (let j: usize = 0; j < columns; j += 4) {
      let s = source + i * lds + (j << 2);
      const r0 = v128.load(s); s += lds;
      const r1 = v128.load(s); s += lds;
      const r2 = v128.load(s); s += lds;
      const r3 = v128.load(s);
      const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
      const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
      const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
      const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
      let t = target + j * ldt + (i << 2);
      v128.store(t, v128.shuffle<f32>(low01, low23, 0, 1, 4, 5)); t += ldt;
      v128.store(t, v128.shuffle<f32>(low01, low23, 2, 3, 6, 7)); t += ldt;
      v128.store(t, v128.shuffle<f32>(high01, high23, 0, 1, 4, 5)); t += ldt;
      v128.store(t, v128.shuffle<f32>(high01, high23, 2, 3, 6, 7));
    }
  }
}

/**
 * C = A·B for a batch: A rows×depth (samples by features), B depth×columns. `scratch` holds Aᵀ
 * (depth×rows floats), because the product reads both operands along the summation index, and then
 * a strip of B (depth×8 floats).
 */
export function product(
  c: usize, ldc: usize, a: usize, lda: usize, b: usize, ldb: usize,
  rows: usize, depth: usize, columns: usize, scratch: usize,
): void {
  transpose(scratch, rows << 2, a, lda, rows, depth);
  const strip = scratch + ((rows * depth) << 2);
  for (let j: usize = 0; j < columns << 2; j += 32) {
    packStrips(strip, b + j, ldb, depth, 8);
    multiplyStrip(c + j, ldc, scratch, rows, strip, depth);
  }
}

/** C = A·B with the bits of `product`, but with B in strips of eight columns, [strip][k][8]. */
export function stripProduct(
  c: usize, ldc: usize, a: usize, lda: usize, strips: usize,
  rows: usize, depth: usize, columns: usize, scratch: usize,
): void {
  transpose(scratch, rows << 2, a, lda, rows, depth);
  for (let j: usize = 0; j < columns << 2; j += 32) {
    multiplyStrip(c + j, ldc, scratch, rows, strips, depth);
    strips += depth << 5;
  }
}

/** Eight columns of a product, from Aᵀ and a strip of B: each takes few pages and cache lines. */
@inline
function multiplyStrip(c: usize, ldc: usize, transposed: usize, rows: usize, strip: usize, depth: usize): void {
  for (let i: usize = 0; i < rows; i += 4) {
    outerTile(c + i * ldc, ldc, transposed + (i << 2), rows << 2, strip, 32, depth, false);
  }
}

/** Writes Bᵀ in strips, for a rows×columns matrix B. */
export function packTransposed(strips: usize, source: usize, lds: usize, rows: usize, columns: usize): void {
  for (let j: usize = 0; j < rows; j += 8) {
    transpose(strips, 32, source, lds, 8, columns);
    source += lds << 3;
    strips += columns << 5;
  }
}

/**
 * Returns four values of A·v, for four rows from `row` on and v up to `end`. Exported for the
 * reason given in tile.ts.
 */
export function fourProducts(row: usize, stride: usize, v: usize, end: usize): v128 {
  const row1 = row + stride, row2 = row1 + stride, row3 = row2 + stride;
  const zero = f32x4.splat(0);
  let s00 = zero, s01 = zero, s10 = zero, s11 = zero;
  let s20 = zero, s21 = zero, s30 = zero, s31 = zero;
  for (let k: usize = 0; v < end; k += 32) {
    const v0 = v128.load(v), v1 = v128.load(v, 16);
    s00 = multiplyAdd(v128.load(row + k), v0, s00);
    s01 = multiplyAdd(v128.load(row + k, 16), v1, s01);
    s10 = multiplyAdd(v128.load(row1 + k), v0, s10);
    s11 = multiplyAdd(v128.load(row1 + k, 16), v1, s11);
    s20 = multiplyAdd(v128.load(row2 + k), v0, s20);
    s21 = multiplyAdd(v128.load(row2 + k, 16), v1, s21);
    s30 = multiplyAdd(v128.load(row3 + k), v0, s30);
    s31 = multiplyAdd(v128.load(row3 + k, 16), v1, s31);
    v += 32;
  }
  s00 = f32x4.add(s00, s01);
  s10 = f32x4.add(s10, s11);
  s20 = f32x4.add(s20, s21);
  s30 = f32x4.add(s30, s31);
  // Sums across the lanes of all four vectors.
  const low = f32x4.add(v128.shuffle<f32>(s00, s10, 0, 4, 2, 6), v128.shuffle<f32>(s00, s10, 1, 5, 3, 7));
  const high = f32x4.add(v128.shuffle<f32>(s20, s30, 0, 4, 2, 6), v128.shuffle<f32>(s20, s30, 1, 5, 3, 7));
  return f32x4.add(v128.shuffle<f32>(low, high, 0, 1, 4, 5), v128.shuffle<f32>(low, high, 2, 3, 6, 7));
}
