/**
 * An approximate solution of (I − M) x = f by generalized conjugate residuals, where
 *
 *   M = diag(a) W diag(b),   a, b ≥ 0,   W an n×n matrix,
 *
 * is never formed: a step costs one product with W, in 16 bits (coarse-matrix.ts) or in Float32.
 * Every direction p is kept with its image q = (I − M) p, the images orthonormal, so that the
 * residual r = f − (I − M) x is as small as the directions allow.
 *
 * The directions of one solve help the next one, whose M is a little different: with them
 *
 *   B = I + Σ (p − q) qᵀ
 *
 * is the inverse of the former I − M on the span of its q, and the identity beside it. The new
 * directions are B r.
 */
import { multiplyCoarse } from "./coarse-matrix";
import { fourProducts } from "./products";
import { multiplyAdd, sumLanes } from "./simd";

/**
 * Directions of one solve: a solution is good enough long before, or so ill-conditioned that Newton
 * is not worth more.
 */
@inline
const MAXIMUM_DIRECTIONS: usize = 16;

/**
 * Vectors of n floats at `workspace`: the residual, the product's input, then p and q of this solve
 * and of the one before.
 */
@inline
const FIRST_DIRECTION: usize = 2;

/** An image this short is rounding, or I − M is singular. */
const SMALLEST_IMAGE: f32 = 1e-20;

/** Where the directions of the former solve lie (0 or 1), and how many there are. */
let former: usize = 0;
let formerCount: usize = 0;

/** A solve with an M unlike the one before it. */
export function forgetDirections(): void {
  formerCount = 0;
}

function dot(x: usize, y: usize, bytes: usize): f32 {
  let s0 = f32x4.splat(0), s1 = s0;
  for (let k: usize = 0; k < bytes; k += 32) {
    s0 = multiplyAdd(v128.load(x + k), v128.load(y + k), s0);
    s1 = multiplyAdd(v128.load(x + k, 16), v128.load(y + k, 16), s1);
  }
  return sumLanes(f32x4.add(s0, s1));
}

/** target += factor·source */
function addMultiple(target: usize, factor: f32, source: usize, bytes: usize): void {
  const f = f32x4.splat(factor);
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(target + k, multiplyAdd(f, v128.load(source + k), v128.load(target + k)));
  }
}

function scale(target: usize, factor: f32, bytes: usize): void {
  const f = f32x4.splat(factor);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(target + k, f32x4.mul(f, v128.load(target + k)));
}

/** p = B r, with the `formerCount` pairs p − q and q at `old`. */
function nextDirection(p: usize, residual: usize, old: usize, bytes: usize): void {
  for (let k: usize = 0; k < bytes; k += 16) v128.store(p + k, v128.load(residual + k));
  for (let k: usize = 0; k < formerCount; k++) {
    addMultiple(p, dot(old + bytes, residual, bytes), old, bytes);
    old += 2 * bytes;
  }
}

/**
 * Makes q orthogonal to the images of the pairs from `pair` up to p, and of length 1, with the same
 * for p; false: q is 0.
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

/** out = p − a·W(b·p) in Float32, with `scaled` for b·p. */
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
 * x with |(I − M) x − f| ≤ forcing·|f|, or as near as the directions come; n a multiple of 8.
 * Vectors are n floats, those of the workspace one after the other. W is the `coarse` one, or where
 * that is 0 the `matrix` with `stride` bytes a row.
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
  // Kept as p − q, which is what B needs.
  for (let k: usize = 0; k < count; k++) addMultiple(fresh + k * 2 * bytes, -1, fresh + (k * 2 + 1) * bytes, bytes);
  former = 1 - former;
  formerCount = count;
}
