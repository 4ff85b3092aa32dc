/** Register tile of the elimination: TILE_ROWS rows times strips of eight columns. */
import { multiplySubtract } from "./simd";

/** Rows that fit in the 15 vector registers available in V8 on x64. */
@inline
export const TILE_ROWS: usize = ASC_FEATURE_RELAXED_SIMD ? 6 : 5;

/** A tile of zeros, read with stride 0. */
export const zeros: usize = memory.data(64, 16);
/** TILE_ROWS rows, each value repeated as a vector, [k][row]: saves address arithmetic. */
const packedRows: usize = memory.data(16 * 6 * 16, 16);

/**
 * target = source − packedRows·strip for TILE_ROWS rows and eight columns. Most of the time is
 * spent in this loop: 10 (relaxed SIMD: 12) accumulators, 2 vectors of the strip, 1 splat.
 */
@inline
function subtractTile(
  target: usize, targetStride: usize, source: usize, sourceStride: usize,
  strip: usize, end: usize,
): void {
  let rows = packedRows;
  let c00 = v128.load(source), c01 = v128.load(source, 16); source += sourceStride;
  let c10 = v128.load(source), c11 = v128.load(source, 16); source += sourceStride;
  let c20 = v128.load(source), c21 = v128.load(source, 16); source += sourceStride;
  let c30 = v128.load(source), c31 = v128.load(source, 16); source += sourceStride;
  let c40 = v128.load(source), c41 = v128.load(source, 16); source += sourceStride;
  let c50 = c40, c51 = c41;
  if (ASC_FEATURE_RELAXED_SIMD) { c50 = v128.load(source); c51 = v128.load(source, 16); }
  for (; strip < end; ) {
    const b0 = v128.load(strip), b1 = v128.load(strip, 16);
    const a0 = v128.load(rows);
    c00 = multiplySubtract(a0, b0, c00);
    c01 = multiplySubtract(a0, b1, c01);
    const a1 = v128.load(rows, 16);
    c10 = multiplySubtract(a1, b0, c10);
    c11 = multiplySubtract(a1, b1, c11);
    const a2 = v128.load(rows, 32);
    c20 = multiplySubtract(a2, b0, c20);
    c21 = multiplySubtract(a2, b1, c21);
    const a3 = v128.load(rows, 48);
    c30 = multiplySubtract(a3, b0, c30);
    c31 = multiplySubtract(a3, b1, c31);
    const a4 = v128.load(rows, 64);
    c40 = multiplySubtract(a4, b0, c40);
    c41 = multiplySubtract(a4, b1, c41);
    if (ASC_FEATURE_RELAXED_SIMD) {
      const a5 = v128.load(rows, 80);
      c50 = multiplySubtract(a5, b0, c50);
      c51 = multiplySubtract(a5, b1, c51);
    }
    rows += TILE_ROWS * 16;
    strip += 32;
  }
  v128.store(target, c00); v128.store(target, c01, 16); target += targetStride;
  v128.store(target, c10); v128.store(target, c11, 16); target += targetStride;
  v128.store(target, c20); v128.store(target, c21, 16); target += targetStride;
  v128.store(target, c30); v128.store(target, c31, 16); target += targetStride;
  v128.store(target, c40); v128.store(target, c41, 16); target += targetStride;
  if (ASC_FEATURE_RELAXED_SIMD) { v128.store(target, c50); v128.store(target, c51, 16); }
}

/*
 * One, two and six tiles side by side. These functions are exported and their loops not nested in
 * others, because V8 unrolls nested loops of this size, runs out of registers and loses a third of
 * the speed. More tiles per call save 10 % in plain SIMD; with relaxed SIMD, which uses all
 * registers, they are slightly slower.
 */

export function subtractOne(
  target: usize, targetStride: usize, source: usize, sourceStride: usize, strip: usize, end: usize,
): void {
  subtractTile(target, targetStride, source, sourceStride, strip, end);
}

export function subtractTwo(
  target: usize, targetStride: usize, targetStep: usize,
  source: usize, sourceStride: usize, sourceStep: usize, strip: usize, stripBytes: usize,
): void {
  if (ASC_FEATURE_RELAXED_SIMD) return;
  const middle = strip + stripBytes;
  subtractTile(target, targetStride, source, sourceStride, strip, middle);
  subtractTile(target + targetStep, targetStride, source + sourceStep, sourceStride, middle, middle + stripBytes);
}

export function subtractSix(
  target: usize, targetStride: usize, targetStep: usize,
  source: usize, sourceStride: usize, sourceStep: usize, strip: usize, stripBytes: usize,
): void {
  if (ASC_FEATURE_RELAXED_SIMD) return;
  let next = strip + stripBytes;
  subtractTile(target, targetStride, source, sourceStride, strip, next);
  target += targetStep; source += sourceStep; strip = next; next += stripBytes;
  subtractTile(target, targetStride, source, sourceStride, strip, next);
  target += targetStep; source += sourceStep; strip = next; next += stripBytes;
  subtractTile(target, targetStride, source, sourceStride, strip, next);
  target += targetStep; source += sourceStep; strip = next; next += stripBytes;
  subtractTile(target, targetStride, source, sourceStride, strip, next);
  target += targetStep; source += sourceStep; strip = next; next += stripBytes;
  subtractTile(target, targetStride, source, sourceStride, strip, next);
  target += targetStep; source += sourceStep; strip = next; next += stripBytes;
  subtractTile(target, targetStride, source, sourceStride, strip, next);
}

/** target = source − packedRows·strips, for strips of eight columns `…Step` bytes apart. */
@inline
export function subtractProduct(
  target: usize, targetStride: usize, targetStep: usize,
  source: usize, sourceStride: usize, sourceStep: usize,
  strip: usize, depth: usize, strips: usize,
): void {
  const stripBytes = depth << 5;
  if (!ASC_FEATURE_RELAXED_SIMD) {
    for (; strips >= 6; strips -= 6) {
      subtractSix(target, targetStride, targetStep, source, sourceStride, sourceStep, strip, stripBytes);
      target += 6 * targetStep;
      source += 6 * sourceStep;
      strip += 6 * stripBytes;
    }
    for (; strips >= 2; strips -= 2) {
      subtractTwo(target, targetStride, targetStep, source, sourceStride, sourceStep, strip, stripBytes);
      target += 2 * targetStep;
      source += 2 * sourceStep;
      strip += 2 * stripBytes;
    }
  }
  for (; strips > 0; strips--) {
    subtractOne(target, targetStride, source, sourceStride, strip, strip + stripBytes);
    target += targetStep;
    source += sourceStep;
    strip += stripBytes;
  }
}

/** Fills packedRows from the rows at `source`. */
@inline
export function packRows(source: usize, stride: usize, depth: usize): void {
  for (let r: usize = 0; r < TILE_ROWS; r++) {
    let t = packedRows + (r << 4);
    for (let k: usize = 0; k < depth << 2; k += 16) {
      const v = v128.load(source + k);
      v128.store(t, v128.shuffle<f32>(v, v, 0, 0, 0, 0));
      v128.store(t, v128.shuffle<f32>(v, v, 1, 1, 1, 1), TILE_ROWS * 16);
      v128.store(t, v128.shuffle<f32>(v, v, 2, 2, 2, 2), TILE_ROWS * 32);
      v128.store(t, v128.shuffle<f32>(v, v, 3, 3, 3, 3), TILE_ROWS * 48);
      t += TILE_ROWS * 64;
    }
    source += stride;
  }
}

/** Start of a group of rows; the last group overlaps the previous one to stay inside. */
@inline
export function groupStart(row: usize, rows: usize): usize {
  return min(row, rows - TILE_ROWS);
}

/** Packs rows×columns floats into strips of eight columns [strip][row][8]. */
@inline
export function packStrips(strips: usize, source: usize, stride: usize, rows: usize, columns: usize): void {
  for (let j: usize = 0; j < columns; j += 8) {
    let s = source + (j << 2);
    for (let r: usize = 0; r < rows; r++) {
      v128.store(strips, v128.load(s));
      v128.store(strips, v128.load(s, 16), 16);
      strips += 32;
      s += stride;
    }
  }
}

