/**
 * Outer products of samples, summed over a chunk in 16 bits: twice as fast as in Float32. Every
 * component of the samples has its own unit, a fraction of its largest value. All sums fit in 32
 * bits, so they are exact; only the values are rounded, to about four digits of the largest.
 */
import { SMALLEST_SIZE, coarseTile, roundFour } from "./coarse-matrix";

/**
 * Rounds `count` rows of n floats to integers up to `levels`, with a unit for each column. Writes
 * them in strips of eight columns, [strip][k][8], where 32 bits hold the values of rows 2k, 2k + 1.
 */
function packRowPairs(
  strips: usize, units: usize, rows: usize, stride: usize, count: usize, n: usize, levels: f32,
): void {
  const end = count * stride, pairs = pairsOf(count);
  for (let j: usize = 0; j < n << 2; j += 16) {
    const column = rows + j;
    // As integers, magnitudes have the order of their floats, and NaN is the largest.
    let bits = f32x4.splat(SMALLEST_SIZE);
    for (let row: usize = 0; row < end; row += stride) bits = i32x4.max_s(bits, f32x4.abs(v128.load(column + row)));
    v128.store(units + j, f32x4.div(bits, f32x4.splat(levels)));
    const factor = f32x4.div(f32x4.splat(levels), bits);
    let target = strips + (((j >> 5) * pairs) << 5) + (j & 16);
    for (let row: usize = 0; row < end; row += stride << 1) {
      const even = v128.and(roundFour(column + row, factor), i32x4.splat(0xffff));
      const odd = row + stride < end ? roundFour(column + row + stride, factor) : i32x4.splat(0);
      v128.store(target, v128.or(even, i32x4.shl(odd, 16)));
      target += 32;
    }
  }
}

/** Pairs of rows, the last of which may be half empty. */
@inline
function pairsOf(count: usize): usize {
  return (count + 1) >> 1;
}

/**
 * C (+)= Σ_k A[k]ᵀ B[k] as outerProduct computes it, for `count` rows of n values in 16 bits. All
 * have the same stride. `scratch` holds both operands, then eight columns of C; `units` and
 * `otherUnits` hold n floats each.
 */
export function coarseOuterProduct(
  c: usize, a: usize, b: usize, stride: usize, count: usize, n: usize, scratch: usize,
  units: usize, otherUnits: usize, accumulate: bool,
): void {
  const levels = largestLevel(count), pairs = pairsOf(count), stripBytes = pairs << 5;
  const other = scratch + (n >> 3) * stripBytes, columns = other + (n >> 3) * stripBytes;
  packRowPairs(scratch, units, a, stride, count, n, levels);
  packRowPairs(other, otherUnits, b, stride, count, n, levels);
  for (let j: usize = 0; j < n; j += 8) {
    const strip = other + (j >> 3) * stripBytes;
    multiplyPairs(columns, scratch, strip, n, pairs);
    scaleColumns(c + (j << 2), stride, columns, units, otherUnits + (j << 2), n, accumulate);
  }
}

/** Largest integer whose square, added `count` times, or 32 times, fits in 32 bits. */
@inline
function largestLevel(count: usize): f32 {
  return <f32>Math.floor(Math.sqrt(2147483647.0 / <f64>max<usize>(count, 32)));
}

/** The first `rows` rows of eight columns of a product of packed pairs, in integers. */
@inline
function multiplyPairs(columns: usize, left: usize, strip: usize, rows: usize, pairs: usize): void {
  const stripBytes = pairs << 5;
  for (let i: usize = 0; i < rows; i += 4) {
    coarseTile(columns + (i << 5), 32, left + (i >> 3) * stripBytes + ((i & 4) << 2), 32, strip, pairs);
  }
}

/** Eight columns of C (+)= the integers in `columns`, times the units of rows and columns. */
function scaleColumns(
  c: usize, stride: usize, columns: usize, units: usize, otherUnits: usize, rows: usize, accumulate: bool,
): void {
  const low = v128.load(otherUnits), high = v128.load(otherUnits, 16);
  for (const end = columns + (rows << 5); columns < end; ) {
    const unit = v128.load_splat<f32>(units);
    let left = f32x4.mul(f32x4.convert_i32x4_s(v128.load(columns)), f32x4.mul(unit, low));
    let right = f32x4.mul(f32x4.convert_i32x4_s(v128.load(columns, 16)), f32x4.mul(unit, high));
    if (accumulate) {
      left = f32x4.add(left, v128.load(c));
      right = f32x4.add(right, v128.load(c, 16));
    }
    v128.store(c, left);
    v128.store(c, right, 16);
    columns += 32;
    units += 4;
    c += stride;
  }
}

/** Packs the rows of A into `scratch`, for the columns of Σ_k A[k]ᵀ A[k]. */
export function packSquares(scratch: usize, a: usize, stride: usize, count: usize, n: usize, units: usize): void {
  packRowPairs(scratch, units, a, stride, count, n, largestLevel(count));
}

/** Columns j … j + 7 of Σ_k A[k]ᵀ A[k], their first `rows` rows, after packSquares. */
export function squareColumns(columns: usize, scratch: usize, j: usize, rows: usize, count: usize, units: usize): void {
  const pairs = pairsOf(count);
  multiplyPairs(columns, scratch, scratch + (j >> 3) * (pairs << 5), rows, pairs);
  scaleColumns(columns, 32, columns, units, units + (j << 2), rows, false);
}
