/**
 * Solves (I − M) x = f approximately by generalized conjugate residuals, where
 *
 *   M = diag(a) W diag(b),   a, b ≥ 0,   W an n×n matrix,
 *
 * is never formed: a step costs one product with W, in 16 bits (coarse-matrix.ts) or in Float32.
 * Every direction p is kept with its image q = (I − M) p. The images are orthonormal, so the
 * residual r = f − (I − M) x is as small as the directions allow.
 *
 * The directions of one solve precondition the next one, whose M is slightly different:
 *
 *   B = I + Σ (p − q) qᵀ
 *
 * is the inverse of the previous I − M on the span of its q, and the identity on the complement.
 * The new directions are B r.
 */
import { multiplyCoarse } from "./coarse-matrix";
import { fourProducts } from "./products";
import { multiplyAdd, sumLanes } from "./simd";

/**
 * Largest number of directions in a solve. Usually far fewer suffice; a system that needs more is
 * too ill-conditioned for Newton's method to pay.
 */
@inline
const MAXIMUM_DIRECTIONS: usize = 16;

/**
 * Index of the first direction in `workspace`: vectors of n floats, namely the residual, the input
 * of the product, then p and q of this solve and of the previous one.
 */
@inline
const FIRST_DIRECTION: usize = 2;

/** A shorter image is rounding error, or I − M is singular. */
const SMALLEST_IMAGE: f32 = 1e-20;

/** Slot of the previous directions (0 or 1), and their number. */
let former: usize = 0;
let formerCount: usize = 0;

/** Starts afresh, for an M that differs much from the previous one. */
export function forgetDirections(): void {
  formerCount = 0;
}

export function dot(x: usize, y: usize, bytes: usize): f32 {
  let s0 = f32x4.splat(0), s1 = s0;
  for (let k: usize = 0; k < bytes; k += 32) {
    s0 = multiplyAdd(v128.load(x + k), v128.load(y + k), s0);
    s1 = multiplyAdd(v128.load(x + k, 16), v128.load(y + k, 16), s1);
  }
  return sumLanes(f32x4.add(s0, s1));
}

/** target += factor·source */
export function addMultiple(target: usize, factor: f32, source: usize, bytes: usize): void {
  const f = f32x4.splat(factor);
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(target + k, multiplyAdd(f, v128.load(source + k), v128.load(target + k)));
  }
}

export function scale(target: usize, factor: f32, bytes: usize): void {
  const f = f32x4.splat(factor);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(target + k, f32x4.mul(f, v128.load(target + k)));
}

/** p = B r; the `formerCount` pairs p − q and q are at `old`. */
function nextDirection(p: usize, residual: usize, old: usize, bytes: usize): void {
  for (let k: usize = 0; k < bytes; k += 16) v128.store(p + k, v128.load(residual + k));
  for (let k: usize = 0; k < formerCount; k++) {
    addMultiple(p, dot(old + bytes, residual, bytes), old, bytes);
    old += 2 * bytes;
  }
}

/**
 * Makes q orthogonal to the images of the pairs from `pair` up to p, scales it to length 1, and
 * transforms p alike. Returns false if q is 0.
 */
function orthonormalize(p: usize, q: usize, pair: usize, bytes: usize): bool {
  for (; pair < p; pair += 2 * bytes) {
    const overlap = -dot(q, pair + bytes, bytes);
    addMultiple(p, overlap, pair, bytes);
    addMultiple(q, overlap, pair + bytes, bytes);
  }
  const length = sqrt<f32>(dot(q, q, bytes));
  if (!(length > SMALLEST_IMAGE)) return false;
  scale(p, 1 / length, bytes);
  scale(q, 1 / length, bytes);
  return true;
}

/** out = p − a·W(b·p) in Float32; `scaled` is scratch for b·p. */
function multiplyFine(
  out: usize, p: usize, matrix: usize, stride: usize, a: usize, b: usize, scaled: usize, bytes: usize,
): void {
  for (let k: usize = 0; k < bytes; k += 16) v128.store(scaled + k, f32x4.mul(v128.load(b + k), v128.load(p + k)));
  for (let k: usize = 0; k < bytes; k += 16) {
    const product = fourProducts(matrix, stride, scaled, scaled + bytes);
    v128.store(out + k, f32x4.sub(v128.load(p + k), f32x4.mul(v128.load(a + k), product)));
    matrix += stride << 2;
  }
}

/**
 * Finds x with |(I − M) x − f| ≤ forcing·|f|, or as close as the directions allow; n is a multiple
 * of 8. W is `coarse`, or if that is 0 the `matrix` with `stride` bytes per row.
 */
export function solveNearly(
  x: usize, f: usize, forcing: f32, coarse: usize, matrix: usize, stride: usize, a: usize, b: usize, n: usize,
  workspace: usize,
): void {
  const bytes = n << 2;
  const residual = workspace, rounded = workspace + bytes;
  const pairs = workspace + FIRST_DIRECTION * bytes;
  const setBytes: usize = 2 * MAXIMUM_DIRECTIONS * bytes;
  const old = pairs + former * setBytes, fresh = pairs + (1 - former) * setBytes;
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(residual + k, v128.load(f + k));
    v128.store(x + k, f32x4.splat(0));
  }
  const goal = forcing * forcing * dot(f, f, bytes);
  let count: usize = 0;
  for (let p = fresh; count < MAXIMUM_DIRECTIONS; p += 2 * bytes) {
    const q = p + bytes;
    nextDirection(p, residual, old, bytes);
    if (coarse) multiplyCoarse(q, p, coarse, a, b, rounded, n);
    else multiplyFine(q, p, matrix, stride, a, b, rounded, bytes);
    if (!orthonormalize(p, q, fresh, bytes)) break;
    count++;
    const part = dot(q, residual, bytes);
    addMultiple(x, part, p, bytes);
    addMultiple(residual, -part, q, bytes);
    if (!(dot(residual, residual, bytes) > goal)) break;
  }
  // B needs p − q.
  for (let k: usize = 0; k < count; k++) addMultiple(fresh + k * 2 * bytes, -1, fresh + (k * 2 + 1) * bytes, bytes);
  former = 1 - former;
  formerCount = count;
}
