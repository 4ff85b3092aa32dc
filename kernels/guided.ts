/**
 * Estimates of patches by guided densities (src/denoising/guided/guided-density.ts):
 *
 *   u = H x̃,   v = G x̂,   D_i = β_i + Σ_j γ_ij |v_j|^α_j,   estimate x̃ − σ² Hᵀ (u / D)
 *
 * Patches are read from an image in their pose and added to another, so that no copy of all patches
 * exists. Eight patches lie side by side in a strip, [component][8], as all products need them.
 */
import { powerOfFour } from "./elementary";
import { outerTile } from "./products";
import { multiplySubtract } from "./simd";

/** Patches that share a pass over the matrices, which then stay in the first-level cache. */
const PATCHES: usize = 64;

/** C = A B for each strip; A in strips of four rows, [strip][k][4]. */
function multiplyStrips(c: usize, a: usize, b: usize, n: usize, strips: usize): void {
  for (; strips > 0; strips--) {
    let rows = a;
    for (let i: usize = 0; i < n; i += 4) {
      outerTile(c + (i << 5), 32, rows, 16, b, 32, n, false);
      rows += n << 4;
    }
    c += n << 5;
    b += n << 5;
  }
}

/** Reads patches of two images in their poses. Lanes without a patch keep what they hold. */
function gather(
  noisy: usize, guide: usize, corners: usize, poses: usize, count: usize, offsets: usize, n: usize,
  x: usize, v: usize,
): void {
  for (let p: usize = 0; p < count; p++) {
    const corner = <usize>load<i32>(corners + (p << 2)) << 2;
    const from = noisy + corner, guiding = guide + corner;
    const lane = (p >> 3) * (n << 5) + ((p & 7) << 2);
    let toX = x + lane, toV = v + lane;
    let offset = offsets + <usize>load<i32>(poses + (p << 2)) * (n << 2);
    for (const end = offset + (n << 2); offset < end; offset += 4) {
      const at = <usize>load<i32>(offset);
      store<f32>(toX, load<f32>(from + at));
      store<f32>(toV, load<f32>(guiding + at));
      toX += 32;
      toV += 32;
    }
  }
}

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

/** Adds the first `pixels` components of each patch to its pixels of the image. */
function scatter(
  sums: usize, corners: usize, poses: usize, count: usize, offsets: usize, n: usize, pixels: usize, x: usize,
): void {
  for (let p: usize = 0; p < count; p++) {
    const to = sums + (<usize>load<i32>(corners + (p << 2)) << 2);
    let from = x + (p >> 3) * (n << 5) + ((p & 7) << 2);
    let offset = offsets + <usize>load<i32>(poses + (p << 2)) * (n << 2);
    for (const end = offset + (pixels << 2); offset < end; offset += 4) {
      const at = to + <usize>load<i32>(offset);
      store<f32>(at, load<f32>(at) + load<f32>(from));
      from += 32;
    }
  }
}

/**
 * Adds the estimates of `count` patches of one class to `sums`. `offsets` holds the distance in
 * bytes of each component of a patch from its corner, for each pose; `n` is the number of pixels of
 * a patch, rounded up to a multiple of 4. `expert` holds H, G, γ and Hᵀ in strips of four rows,
 * then α and β.
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
    gather(noisy, guide, corners, poses, some, offsets, n, x, v);
    multiplyStrips(u, expert, x, n, strips);
    multiplyStrips(other, expert + square, v, n, strips);
    raiseStrips(other, alpha, n, strips);
    multiplyStrips(v, expert + 2 * square, other, n, strips);
    divideStrips(u, v, beta, n, strips);
    multiplyStrips(other, expert + 3 * square, u, n, strips);
    subtractStrips(x, other, variance, n, strips);
    scatter(sums, corners, poses, some, offsets, n, pixels, x);
    corners += some << 2;
    poses += some << 2;
    count -= some;
  }
}
