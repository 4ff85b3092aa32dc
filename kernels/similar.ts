/**
 * Posterior means of groups of similar patches: matching, covariance, Cholesky factor, solution and
 * sums. Pixels are in units of the noise level, so the noise has the covariance I.
 *
 * Rows of a group hold one pixel of all its members, 32 floats; missing members equal the mean.
 */
import { fourProducts } from "./products";
import { multiplyAdd, multiplySubtract } from "./simd";

const MEMBERS: usize = 32;
/** Bytes of a row. */
const ROW: usize = 128;

/** Addresses in the workspace, and sizes; set by `estimateSimilar`. */
let splats: usize = 0, distances: usize = 0, nearest: usize = 0, corners: usize = 0;
let centred: usize = 0, noisyRows: usize = 0, factor: usize = 0, inverses: usize = 0, means: usize = 0;
let factorStride: usize = 0, side: usize = 0, pixels: usize = 0;

/** Divides the workspace, whose size src/kernels/wasm/similar.ts knows. */
function layOut(workspace: usize, size: usize, reach: usize): void {
  side = size;
  pixels = size * size;
  const padded = (pixels + 3) & ~3;
  factorStride = padded << 2;
  centred = workspace;
  noisyRows = centred + padded * ROW;
  splats = noisyRows + padded * ROW;
  nearest = splats + 16 * pixels;
  corners = nearest + ROW;
  factor = corners + ROW;
  inverses = factor + padded * factorStride;
  means = inverses + factorStride;
  distances = means + factorStride;
}

/** Rows of a patch after which candidates may already be too far. */
const FIRST_ROWS: usize = 3;

/**
 * Squared distances of twelve neighbouring patches from the one in `splats`. Returns false if all
 * of them are at least `worst`; then the distances may be too small, but not less than `worst`.
 */
export function twelveDistances(
  out: usize, patch: usize, stride: usize, splat: usize, size: usize, worst: f32,
): bool {
  const limit = f32x4.splat(worst), zero = f32x4.splat(0);
  let s0 = zero, s1 = zero, s2 = zero;
  const end = patch + size * stride;
  let until = patch + min(size, FIRST_ROWS) * stride;
  while (true) {
    for (; patch < until; patch += stride) {
      for (let k: usize = 0; k < size << 2; k += 4) {
        const b = v128.load(splat);
        const d0 = f32x4.sub(v128.load(patch + k), b);
        const d1 = f32x4.sub(v128.load(patch + k, 16), b);
        const d2 = f32x4.sub(v128.load(patch + k, 32), b);
        s0 = multiplyAdd(d0, d0, s0);
        s1 = multiplyAdd(d1, d1, s1);
        s2 = multiplyAdd(d2, d2, s2);
        splat += 16;
      }
    }
    if (!v128.any_true(f32x4.lt(f32x4.min(s0, f32x4.min(s1, s2)), limit))) return false;
    if (until == end) break;
    until = end;
  }
  v128.store(out, s0);
  v128.store(out, s1, 16);
  v128.store(out, s2, 32);
  return true;
}

/** Inserts a patch into the sorted list of the nearest; of equal distances the first stays. */
function insert(count: usize, distance: f32, corner: i32): void {
  let k = count << 2;
  for (; k > 0 && load<f32>(nearest + k - 4) > distance; k -= 4) {
    store<f32>(nearest + k, load<f32>(nearest + k - 4));
    store<i32>(corners + k, load<i32>(corners + k - 4));
  }
  store<f32>(nearest + k, distance);
  store<i32>(corners + k, corner);
}

/** Finds the members of a group; returns their number. */
function findSimilar(guide: usize, width: i32, height: i32, corner: i32, reach: i32): usize {
  const size = <i32>side, top = corner / width, left = corner % width;
  const firstLeft = max(0, left - reach), lastLeft = min(width - size, left + reach);
  const firstTop = max(0, top - reach), lastTop = min(height - size, top + reach);
  let to = splats;
  for (let row = 0; row < size; row++) {
    for (let k = 0; k < size; k++, to += 16) {
      v128.store(to, v128.load_splat<f32>(guide + ((corner + row * width + k) << 2)));
    }
  }
  let count: usize = 0;
  let worst = f32.MAX_VALUE;
  for (let y = firstTop; y <= lastTop; y++) {
    const first = y * width + firstLeft;
    const candidates = lastLeft - firstLeft + 1;
    for (let start = 0; start < candidates; start += 12) {
      // The patch itself belongs to its group, even if others are equal.
      const own = corner - first - start;
      const needed = own >= 0 && own < 12;
      const limit: f32 = count < MEMBERS || needed ? f32.MAX_VALUE : worst;
      const at = distances + (start << 2);
      if (!twelveDistances(at, guide + ((first + start) << 2), width << 2, splats, side, limit)) continue;
      const last = min(start + 12, candidates);
      for (let x = start; x < last; x++) {
        // The patch itself comes first, even among equal ones: every pixel gets an estimate.
        const distance: f32 = first + x == corner ? -1 : load<f32>(distances + (x << 2));
        if (count == MEMBERS && distance >= worst) continue;
        insert(count == MEMBERS ? MEMBERS - 1 : count, distance, first + x);
        if (count < MEMBERS) count++;
        if (count == MEMBERS) worst = load<f32>(nearest + ROW - 4);
      }
    }
  }
  return count;
}

/** Copies the members into rows: the guide minus its mean, and the noisy patches. */
function gather(guide: usize, noisy: usize, width: usize, count: usize): void {
  let i: usize = 0;
  for (let row: usize = 0; row < side; row++) {
    for (let k: usize = 0; k < side; k++, i++) {
      const offset = (row * width + k) << 2;
      const to = centred + i * ROW, noisyTo = noisyRows + i * ROW;
      let sum: f32 = 0;
      for (let j: usize = 0; j < count << 2; j += 4) {
        const at = (<usize>load<i32>(corners + j) << 2) + offset;
        const value = load<f32>(guide + at);
        sum += value;
        store<f32>(to + j, value);
        store<f32>(noisyTo + j, load<f32>(noisy + at));
      }
      const mean = sum / <f32>count;
      for (let j = count << 2; j < ROW; j += 4) {
        store<f32>(to + j, mean);
        store<f32>(noisyTo + j, mean);
      }
      store<f32>(means + (i << 2), mean);
      subtractMean(to, to, mean);
    }
  }
}

@inline
function subtractMean(to: usize, from: usize, mean: f32): void {
  const m = f32x4.splat(mean);
  for (let j: usize = 0; j < ROW; j += 16) v128.store(to + j, f32x4.sub(v128.load(from + j), m));
}

/** Upper triangle of C + I, where C is the covariance of the members plus `uncertainty`·I. */
function covariance(count: usize, uncertainty: f32): void {
  const scale = f32x4.splat(1 / <f32>count);
  for (let i: usize = 0; i < pixels; i++) {
    const row = factor + i * factorStride, own = centred + i * ROW;
    for (let q = i & ~3; q < pixels; q += 4) {
      v128.store(row + (q << 2), f32x4.mul(scale, fourProducts(centred + q * ROW, ROW, own, own + ROW)));
    }
    const diagonal = row + (i << 2);
    store<f32>(diagonal, load<f32>(diagonal) + (1 + uncertainty));
  }
}

/** row −= times·pivotRow */
export function subtractRow(row: usize, pivotRow: usize, times: f32, end: usize): void {
  const t = f32x4.splat(times);
  for (; row < end; row += 16) {
    v128.store(row, multiplySubtract(t, v128.load(pivotRow), v128.load(row)));
    pivotRow += 16;
  }
}

/** Replaces the upper triangle of S by U with UᵀU = S. Pivots are at least 1, up to rounding. */
function factorize(): void {
  for (let q: usize = 0; q < pixels; q++) {
    const row = factor + q * factorStride, end = row + factorStride;
    const inverse: f32 = 1 / sqrt(max<f32>(load<f32>(row + (q << 2)), 0.5));
    store<f32>(inverses + (q << 2), inverse);
    for (let k = row + ((q & ~3) << 2); k < end; k += 16) {
      v128.store(k, f32x4.mul(v128.load(k), f32x4.splat(inverse)));
    }
    for (let i = q + 1; i < pixels; i++) {
      const from = (i & ~3) << 2, target = factor + i * factorStride;
      subtractRow(target + from, row + from, load<f32>(row + (i << 2)), target + factorStride);
    }
  }
}

/** target = inverse·(target − Σ coefficient·row) over consecutive rows, with eight accumulators. */
export function solveRow(
  target: usize, rows: usize, end: usize, coefficient: usize, step: usize, inverse: f32,
): void {
  let a0 = v128.load(target), a1 = v128.load(target, 16), a2 = v128.load(target, 32), a3 = v128.load(target, 48);
  let a4 = v128.load(target, 64), a5 = v128.load(target, 80), a6 = v128.load(target, 96), a7 = v128.load(target, 112);
  for (; rows < end; rows += ROW) {
    const c = v128.load_splat<f32>(coefficient);
    a0 = multiplySubtract(c, v128.load(rows), a0);
    a1 = multiplySubtract(c, v128.load(rows, 16), a1);
    a2 = multiplySubtract(c, v128.load(rows, 32), a2);
    a3 = multiplySubtract(c, v128.load(rows, 48), a3);
    a4 = multiplySubtract(c, v128.load(rows, 64), a4);
    a5 = multiplySubtract(c, v128.load(rows, 80), a5);
    a6 = multiplySubtract(c, v128.load(rows, 96), a6);
    a7 = multiplySubtract(c, v128.load(rows, 112), a7);
    coefficient += step;
  }
  const v = f32x4.splat(inverse);
  v128.store(target, f32x4.mul(a0, v));
  v128.store(target, f32x4.mul(a1, v), 16);
  v128.store(target, f32x4.mul(a2, v), 32);
  v128.store(target, f32x4.mul(a3, v), 48);
  v128.store(target, f32x4.mul(a4, v), 64);
  v128.store(target, f32x4.mul(a5, v), 80);
  v128.store(target, f32x4.mul(a6, v), 96);
  v128.store(target, f32x4.mul(a7, v), 112);
}

/** centred = (C + I)⁻¹ (noisy − mean) */
function solve(): void {
  for (let i: usize = 0; i < pixels; i++) {
    const row = centred + i * ROW;
    subtractMean(row, noisyRows + i * ROW, load<f32>(means + (i << 2)));
    solveRow(row, centred, row, factor + (i << 2), factorStride, load<f32>(inverses + (i << 2)));
  }
  const end = centred + pixels * ROW;
  for (let i: usize = pixels; i-- > 0; ) {
    const row = centred + i * ROW, diagonal = factor + i * factorStride + (i << 2);
    solveRow(row, row + ROW, end, diagonal + 4, 4, load<f32>(inverses + (i << 2)));
  }
}

/** Adds the estimates to the pixels; to the corners, 1 and the mean square of what was removed. */
function scatter(width: usize, count: usize, values: usize, counts: usize, residuals: usize): void {
  for (let j: usize = 0; j < count << 2; j += 4) {
    const corner = <usize>load<i32>(corners + j) << 2;
    let z = centred + j, y = noisyRows + j, squares: f32 = 0;
    for (let row: usize = 0; row < side; row++) {
      const start = values + corner + ((row * width) << 2);
      for (let at = start; at < start + (side << 2); at += 4) {
        const removed = load<f32>(z);
        squares += removed * removed;
        store<f32>(at, load<f32>(at) + (load<f32>(y) - removed));
        z += ROW;
        y += ROW;
      }
    }
    store<f32>(counts + corner, load<f32>(counts + corner) + 1);
    store<f32>(residuals + corner, load<f32>(residuals + corner) + squares / <f32>pixels);
  }
}

/**
 * Adds the estimates of the groups of `count` reference patches, whose corners are at `references`,
 * to `values`, `counts` and `residuals`. All images have width×height floats.
 */
export function estimateSimilar(
  guide: usize, noisy: usize, width: i32, height: i32, references: usize, count: usize,
  size: usize, reach: i32, uncertainty: f32, values: usize, counts: usize, residuals: usize, workspace: usize,
): void {
  layOut(workspace, size, reach);
  for (const end = references + (count << 2); references < end; references += 4) {
    const members = findSimilar(guide, width, height, load<i32>(references), reach);
    gather(guide, noisy, width, members);
    covariance(members, uncertainty);
    factorize();
    solve();
    scatter(width, members, values, counts, residuals);
  }
}
