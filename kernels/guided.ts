/**
 * Estimates of patches by guided densities (src/denoising/guided/guided-density.ts):
 *
 *   u = H x̃,   v = G x̂,   D_i = β_i + Σ_j γ_ij |v_j|^α_j,   estimate x̃ − σ² Hᵀ (u / D)
 */
import { powerOfFour } from "./elementary";
import { multiplySubtract } from "./simd";
import { gatherStrips, multiplyStrips, scatterStrips } from "./strips";

/** Patches that share a pass over the matrices, which then stay in the first-level cache. */
const PATCHES: usize = 64;

/** v = |v|^α */
function raiseStrips(v: usize, alpha: usize, n: usize, strips: usize): void {
  for (; strips > 0; strips--) {
    for (let i: usize = 0; i < n << 2; i += 4) {
      const exponent = v128.load_splat<f32>(alpha + i);
      v128.store(v, powerOfFour(f32x4.abs(v128.load(v)), exponent));
      v128.store(v, powerOfFour(f32x4.abs(v128.load(v, 16)), exponent), 16);
      v += 32;
    }
  }
}

/** u = u / (D + β) */
function divideStrips(u: usize, pool: usize, beta: usize, n: usize, strips: usize): void {
  for (; strips > 0; strips--) {
    for (let i: usize = 0; i < n << 2; i += 4) {
      const b = v128.load_splat<f32>(beta + i);
      v128.store(u, f32x4.div(v128.load(u), f32x4.add(v128.load(pool), b)));
      v128.store(u, f32x4.div(v128.load(u, 16), f32x4.add(v128.load(pool, 16), b)), 16);
      u += 32;
      pool += 32;
    }
  }
}

/** x = x − variance·pulled */
function subtractStrips(x: usize, pulled: usize, variance: f32, n: usize, strips: usize): void {
  const factor = f32x4.splat(variance);
  for (const end = x + strips * (n << 5); x < end; x += 16) {
    v128.store(x, multiplySubtract(factor, v128.load(pulled), v128.load(x)));
    pulled += 16;
  }
}

/**
 * Adds the estimates of `count` patches of one class to `sums`. For `offsets`, see strips.ts; `n`
 * is the number of pixels of a patch, rounded up to a multiple of 4. `expert` holds H, G, γ and Hᵀ
 * in strips of four rows, then α and β.
 */
export function estimateGuided(
  noisy: usize, guide: usize, sums: usize, corners: usize, poses: usize, count: usize,
  offsets: usize, pixels: usize, n: usize, expert: usize, variance: f32, workspace: usize,
): void {
  const square = (n * n) << 2, block = n * PATCHES << 2;
  const x = workspace, v = x + block, u = v + block, other = u + block;
  const alpha = expert + 4 * square, beta = alpha + (n << 2);
  while (count > 0) {
    const some = min(count, PATCHES), strips = (some + 7) >> 3;
    gatherStrips(x, noisy, corners, poses, some, offsets, n);
    gatherStrips(v, guide, corners, poses, some, offsets, n);
    multiplyStrips(u, expert, x, n, strips);
    multiplyStrips(other, expert + square, v, n, strips);
    raiseStrips(other, alpha, n, strips);
    multiplyStrips(v, expert + 2 * square, other, n, strips);
    divideStrips(u, v, beta, n, strips);
    multiplyStrips(other, expert + 3 * square, u, n, strips);
    subtractStrips(x, other, variance, n, strips);
    scatterStrips(sums, x, corners, poses, some, offsets, n, pixels);
    corners += some << 2;
    poses += some << 2;
    count -= some;
  }
}
