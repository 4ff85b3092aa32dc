/**
 * Inverse and log-determinant by blocked Gauss–Jordan elimination.
 *
 * One step takes the leading nb rows and columns of the n×n matrix
 *
 *   [ P  R ]        P⁻¹             P⁻¹R
 *   [ C  S ]   →   −C P⁻¹      S − C P⁻¹R
 *
 * and writes the result rotated by nb towards the origin:
 *
 *   [ S − C P⁻¹R   −C P⁻¹ ]
 *   [    P⁻¹R         P⁻¹  ]
 *
 * so that the next block to eliminate is the leading one again: every step runs the same loops, and
 * after ⌈n/16⌉ steps all rows and columns are back in place. A target row is nb rows above its
 * source, so the step works in place, and the last group of rows may overlap the previous one: its
 * sources are intact. The workspace holds R and P⁻¹R in strips, 2·64·n bytes. Cost: 2n³ operations.
 * The log-determinant needs only S: 2n³/3. The diagonal of the inverse needs everything except the
 * products of finished rows with finished columns: 4n³/3.
 *
 * No pivoting: I − M is an M-matrix wherever the transform is invertible, and then every pivot is
 * positive. Other matrices need `invertWithPivoting`.
 */
import { logOf } from "./elementary";
import { transpose } from "./products";
import { multiplyAdd, multiplySubtract } from "./simd";
import { TILE_ROWS, groupStart, packRows, packStrips, subtractProduct, zeros } from "./tile";

@inline
const BLOCK: usize = 16;
/** Row stride of a BLOCK×BLOCK block in bytes. */
@inline
const BLOCK_STRIDE: usize = BLOCK * 4;
const pivotBlock: usize = memory.data(16 * 16 * 4, 16);
/** −P⁻¹, because `subtractProduct` can only subtract. */
const negatedBlock: usize = memory.data(16 * 16 * 4, 16);

/** Smallest normal Float32; its reciprocal is finite. */
const SMALLEST_PIVOT: f32 = 1.1754943508222875e-38;

/** Index of the first non-positive pivot, or −1; set by every function below. */
let failedPivot: i32 = -1;

export function getFailedPivot(): i32 {
  return failedPivot;
}

/** Mask of columns first … first + 3 without column p. */
@inline
function columnMask(p: usize, first: i32): v128 {
  return i32x4.ne(i32x4.splat(<i32>p - first), i32x4(0, 1, 2, 3));
}

/**
 * Inverts pivotBlock (nb×nb) in place by Gauss–Jordan elimination and returns log |det|. Returns
 * NaN and sets failedPivot if a pivot or its reciprocal is not finite, or a pivot is not positive
 * (nonzero if `anySign`).
 */
function invertPivotBlock(nb: usize, anySign: bool): f64 {
  let logDeterminant: f64 = 0;
  let product: f64 = 1;
  for (let p: usize = 0; p < nb; p++) {
    const pivotRow = pivotBlock + p * BLOCK_STRIDE;
    const pivot = load<f32>(pivotRow + (p << 2));
    const size = anySign ? abs(pivot) : pivot;
    if (!(size >= SMALLEST_PIVOT && size < <f32>Infinity)) {
      failedPivot = <i32>p;
      return NaN;
    }
    product *= pivot;
    // A product of six Float32 values cannot overflow in Float64.
    if (p % 6 == 5) {
      logDeterminant += logOf(abs(product));
      product = 1;
    }
    // Masks instead of stores of single floats, after which a vector load would stall.
    const keep0 = columnMask(p, 0), keep1 = columnMask(p, 4), keep2 = columnMask(p, 8), keep3 = columnMask(p, 12);
    const one = f32x4.splat(1);
    const reciprocal = f32x4.splat(1 / pivot);
    const p0 = f32x4.mul(v128.bitselect(v128.load(pivotRow), one, keep0), reciprocal);
    const p1 = f32x4.mul(v128.bitselect(v128.load(pivotRow, 16), one, keep1), reciprocal);
    const p2 = f32x4.mul(v128.bitselect(v128.load(pivotRow, 32), one, keep2), reciprocal);
    const p3 = f32x4.mul(v128.bitselect(v128.load(pivotRow, 48), one, keep3), reciprocal);
    for (let row = pivotBlock, end = pivotBlock + nb * BLOCK_STRIDE; row < end; row += BLOCK_STRIDE) {
      const factor = v128.load_splat<f32>(row + (p << 2));
      v128.store(row, multiplySubtract(factor, p0, v128.and(v128.load(row), keep0)));
      v128.store(row, multiplySubtract(factor, p1, v128.and(v128.load(row, 16), keep1)), 16);
      v128.store(row, multiplySubtract(factor, p2, v128.and(v128.load(row, 32), keep2)), 32);
      v128.store(row, multiplySubtract(factor, p3, v128.and(v128.load(row, 48), keep3)), 48);
    }
    v128.store(pivotRow, p0);
    v128.store(pivotRow, p1, 16);
    v128.store(pivotRow, p2, 32);
    v128.store(pivotRow, p3, 48);
  }
  for (let k: usize = 0; k < nb * BLOCK_STRIDE; k += 16) {
    v128.store(negatedBlock + k, f32x4.neg(v128.load(pivotBlock + k)));
  }
  return logDeterminant + logOf(abs(product));
}

/** Copies an nb×nb block, nb 8 or 16. */
@inline
function copyBlock(target: usize, targetStride: usize, source: usize, sourceStride: usize, nb: usize): void {
  for (let r: usize = 0; r < nb; r++) {
    for (let k: usize = 0; k < nb << 2; k += 32) {
      v128.store(target + k, v128.load(source + k));
      v128.store(target + k, v128.load(source + k, 16), 16);
    }
    target += targetStride;
    source += sourceStride;
  }
}

/** Writes P⁻¹R in strips to `solved`, from R in strips. */
@inline
function solveStrips(solved: usize, strips: usize, nb: usize, columns: usize): void {
  for (let r: usize = 0; r < nb; r += TILE_ROWS) {
    const row = groupStart(r, nb);
    packRows(negatedBlock + row * BLOCK_STRIDE, BLOCK_STRIDE, nb);
    subtractProduct(solved + (row << 5), 32, nb << 5, zeros, 0, 0, strips, nb, columns >> 3);
  }
}

/**
 * target_j = source_j + |Σ_k A_jk B_kj| for `count` rows of A, lda bytes apart, and columns of B:
 * eight columns are stripBytes apart, rows ldb. `scratch` holds Aᵀ.
 */
function addDiagonal(
  target: usize, source: usize, a: usize, lda: usize, b: usize, ldb: usize, stripBytes: usize,
  depth: usize, count: usize, scratch: usize,
): void {
  const rowBytes = count << 2;
  transpose(scratch, rowBytes, a, lda, count, depth);
  for (let k: usize = 0; k < rowBytes; k += 32) {
    let sum0 = f32x4.splat(0), sum1 = sum0;
    let column = scratch + k;
    for (let row = b, end = b + depth * ldb; row < end; row += ldb) {
      sum0 = multiplyAdd(v128.load(column), v128.load(row), sum0);
      sum1 = multiplyAdd(v128.load(column, 16), v128.load(row, 16), sum1);
      column += rowBytes;
    }
    v128.store(target + k, f32x4.add(v128.load(source + k), f32x4.abs(sum0)));
    v128.store(target + k, f32x4.add(v128.load(source + k, 16), f32x4.abs(sum1)), 16);
    b += stripBytes;
  }
}

/**
 * Does one step on the leading n×n part, of which the leading `left` rows and columns are not
 * eliminated yet; returns log |det P|, NaN on failure. With `excess` (see `diagonalOfInverse`),
 * skips the products of finished rows with finished columns.
 */
function eliminate(
  matrix: usize, ld: usize, n: usize, left: usize, nb: usize, keepInverse: bool, anySign: bool, workspace: usize,
  excess: usize,
): f64 {
  // A narrow block must not use values of an earlier block.
  if (nb < BLOCK) memory.fill(pivotBlock, 0, BLOCK * BLOCK_STRIDE);
  copyBlock(pivotBlock, BLOCK_STRIDE, matrix, ld, nb);
  const logDeterminant = invertPivotBlock(nb, anySign);
  if (failedPivot >= 0) return NaN;
  const rest = n - nb;
  const strips = workspace;
  const solved = workspace + n * BLOCK_STRIDE;
  packStrips(strips, matrix + (nb << 2), ld, nb, rest);
  solveStrips(solved, strips, nb, rest);
  // Rows and columns from here on are finished.
  let finished = rest;
  if (excess) {
    finished = left - nb;
    // P⁻¹ = I + P⁻¹ (I − P), and excess_j has more digits than 1 − P_jj.
    for (let j: usize = 0; j < nb; j++) store<f32>(matrix + j * (ld + 4), -load<f32>(excess + (j << 2)));
    addDiagonal(excess, excess + (nb << 2), matrix + nb * ld, ld, solved, 32, nb << 5, nb, rest, strips);
    addDiagonal(excess + (rest << 2), zeros, pivotBlock, BLOCK_STRIDE, matrix, ld, 32, nb, nb, negatedBlock);
  }
  // The strips of R are reused for P⁻¹, to compute the new columns −C P⁻¹.
  if (keepInverse) packStrips(strips, pivotBlock, BLOCK_STRIDE, nb, nb);
  for (let i: usize = 0, end = finished ? rest : 0; i < end; i += TILE_ROWS) {
    const row = groupStart(i, rest);
    const source = matrix + (nb + row) * ld;
    const target = matrix + row * ld;
    const isOpen = row < finished;
    packRows(source, ld, nb);
    subtractProduct(target, ld, 32, source + (nb << 2), ld, 32, solved, nb, (isOpen ? rest : finished) >> 3);
    if (keepInverse && isOpen) {
      subtractProduct(target + (rest << 2), ld, 32, zeros, 0, 0, strips, nb, nb >> 3);
    }
  }
  if (keepInverse) {
    for (let r: usize = 0; r < nb; r++) {
      const target = matrix + (rest + r) * ld;
      for (let j: usize = 0; j < finished; j += 8) {
        const s = solved + j * (nb << 2) + (r << 5);
        v128.store(target + (j << 2), v128.load(s));
        v128.store(target + (j << 2), v128.load(s, 16), 16);
      }
    }
    copyBlock(matrix + rest * ld + (rest << 2), ld, pivotBlock, BLOCK_STRIDE, nb);
  }
  return logDeterminant;
}

/** Eliminates all rows and columns; returns the log-determinant, or NaN on failure. */
function eliminateAll(matrix: usize, ld: usize, n: usize, keepInverse: bool, workspace: usize, excess: usize): f64 {
  failedPivot = -1;
  let sum: f64 = 0;
  for (let left = n; left > 0; ) {
    const nb = min(BLOCK, left);
    sum += eliminate(matrix, ld, keepInverse ? n : left, left, nb, keepInverse, false, workspace, excess);
    if (failedPivot >= 0) {
      failedPivot += <i32>(n - left);
      return NaN;
    }
    left -= nb;
  }
  return sum;
}

/**
 * Replaces an n×n matrix (n a multiple of 8, row stride ld bytes) by its inverse; returns the
 * logarithm of its determinant, or NaN if a pivot is not positive.
 */
export function invert(matrix: usize, ld: usize, n: usize, workspace: usize): f64 {
  return eliminateAll(matrix, ld, n, true, workspace, 0);
}

/** Returns the log-determinant like `invert`, at a third of the cost; destroys the matrix. */
export function logDeterminant(matrix: usize, ld: usize, n: usize, workspace: usize): f64 {
  return eliminateAll(matrix, ld, n, false, workspace, 0);
}

/**
 * Returns the log-determinant and replaces n values 1 − A_jj in `excess` by (A⁻¹)_jj − 1, at two
 * thirds of the cost of `invert`; destroys the matrix. All terms are non-negative if A has no
 * positive entry outside its diagonal and only positive pivots, so that no digits cancel.
 */
export function diagonalOfInverse(matrix: usize, ld: usize, n: usize, workspace: usize, excess: usize): f64 {
  return eliminateAll(matrix, ld, n, true, workspace, excess);
}

@inline
function swapRows(a: usize, b: usize, bytes: usize): void {
  for (let k: usize = 0; k < bytes; k += 16) {
    const v = v128.load(a + k);
    v128.store(a + k, v128.load(b + k));
    v128.store(b + k, v);
  }
}

/**
 * Moves rows to the top that make the leading nb columns safe to eliminate: does partial pivoting
 * on a copy of those columns (in `panel`, left×BLOCK floats), swaps the whole rows, and records the
 * swaps in `order`.
 */
function choosePivotRows(matrix: usize, ld: usize, left: usize, nb: usize, rowBytes: usize, order: usize, panel: usize): void {
  for (let r: usize = 0; r < left; r++) memory.copy(panel + r * BLOCK_STRIDE, matrix + r * ld, nb << 2);
  for (let p: usize = 0; p < nb; p++) {
    let best = p;
    let largest: f32 = -1;
    for (let r = p; r < left; r++) {
      const size = abs(load<f32>(panel + r * BLOCK_STRIDE + (p << 2)));
      if (size > largest) {
        largest = size;
        best = r;
      }
    }
    if (best != p) {
      swapRows(panel + p * BLOCK_STRIDE, panel + best * BLOCK_STRIDE, BLOCK_STRIDE);
      swapRows(matrix + p * ld, matrix + best * ld, rowBytes);
      const o = load<i32>(order + (p << 2));
      store<i32>(order + (p << 2), load<i32>(order + (best << 2)));
      store<i32>(order + (best << 2), o);
    }
    const pivotRow = panel + p * BLOCK_STRIDE;
    const reciprocal: f32 = 1 / load<f32>(pivotRow + (p << 2));
    const start = (p >> 2) << 4;
    for (let r = p + 1; r < left; r++) {
      const row = panel + r * BLOCK_STRIDE;
      const factor = f32x4.splat(-load<f32>(row + (p << 2)) * reciprocal);
      for (let k = start; k < BLOCK_STRIDE; k += 16) {
        v128.store(row + k, multiplyAdd(factor, v128.load(pivotRow + k), v128.load(row + k)));
      }
    }
  }
}

/**
 * Inverts any non-singular matrix like `invert`, with row pivoting; returns log |det|, or NaN if
 * the matrix is singular. `order` (n int32), `panel` (n·64 bytes) and `copy` (n rows of ld bytes)
 * are scratch.
 */
export function invertWithPivoting(matrix: usize, ld: usize, n: usize, workspace: usize, order: usize, panel: usize, copy: usize): f64 {
  failedPivot = -1;
  for (let i: usize = 0; i < n; i++) store<i32>(order + (i << 2), <i32>i);
  let logDeterminant: f64 = 0;
  for (let done: usize = 0; done < n; ) {
    const nb = min(BLOCK, n - done);
    choosePivotRows(matrix, ld, n - done, nb, n << 2, order + (done << 2), panel);
    logDeterminant += eliminate(matrix, ld, n, n, nb, true, true, workspace, 0);
    if (failedPivot >= 0) {
      failedPivot += <i32>done;
      return NaN;
    }
    done += nb;
  }
  // (PA)⁻¹ = A⁻¹Pᵀ: column j belongs to original row order[j].
  memory.copy(copy, matrix, n * ld);
  for (let j: usize = 0; j < n; j++) {
    const column = <usize>load<i32>(order + (j << 2)) << 2;
    for (let i: usize = 0; i < n; i++) store<f32>(matrix + i * ld + column, load<f32>(copy + i * ld + (j << 2)));
  }
  return logDeterminant;
}
