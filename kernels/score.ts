/**
 * Estimates x̃ + σ² ∇ log p(x̃) of patches by a GDN with α_ij = α_j, with an expansion of its
 * log-determinant instead of eliminations (PatchKernel in src/kernels/kernels.ts). With
 *
 *   z = H x̃ + c,   u = |z|^α,   D = β + γ u,   y = z D^−ε
 *   p = ε α u / D,   s_i = 1 / (1 − γ_ii p_i),   q = p s,   K_ij = γ_ij γ_ji beside the diagonal
 *
 * the gradient of L = ½‖y‖² + Σ ε_i log D_i − log det(I − M) is
 *
 *   r_i = q_i (γ_ii + s_i (K q)_i),   ∂L/∂D = (ε (1 − y²) − r) / D
 *   ∂L/∂z = y D^−ε + α ((γᵀ ∂L/∂D) u + r) / z,   ∂L/∂x̃ = Hᵀ ∂L/∂z
 */
import { powerOfFour } from "./elementary";
import { multiplyAdd, magnitude, sign } from "./simd";
import { gatherStrips, multiplyStrips, scatterStrips } from "./strips";

const PATCHES: usize = 32;
const FLOOR: f32 = 1e-37;

/** z += c, and u = |z|^α */
function raise(z: usize, u: usize, c: usize, alpha: usize, n: usize, strips: usize): void {
  for (; strips > 0; strips--) {
    for (let i: usize = 0; i < n << 2; i += 4) {
      const shift = v128.load_splat<f32>(c + i), exponent = v128.load_splat<f32>(alpha + i);
      for (let k: usize = 0; k < 32; k += 16) {
        const value = f32x4.add(v128.load(z + k), shift);
        v128.store(z + k, value);
        v128.store(u + k, powerOfFour(f32x4.abs(value), exponent));
      }
      z += 32;
      u += 32;
    }
  }
}

/** D += β, gain = D^−ε, and s and q from u. */
function normalize(
  pool: usize, u: usize, gain: usize, s: usize, q: usize, alpha: usize, beta: usize, epsilon: usize, own: usize,
  n: usize, strips: usize,
): void {
  const one = f32x4.splat(1);
  for (; strips > 0; strips--) {
    for (let i: usize = 0; i < n << 2; i += 4) {
      const b = v128.load_splat<f32>(beta + i), e = v128.load_splat<f32>(epsilon + i);
      const g = v128.load_splat<f32>(own + i), share = f32x4.mul(e, v128.load_splat<f32>(alpha + i));
      for (let k: usize = 0; k < 32; k += 16) {
        const D = f32x4.add(v128.load(pool + k), b);
        const p = f32x4.div(f32x4.mul(share, v128.load(u + k)), D);
        const slope = f32x4.div(one, f32x4.sub(one, f32x4.mul(g, p)));
        v128.store(pool + k, D);
        v128.store(gain + k, powerOfFour(D, f32x4.neg(e)));
        v128.store(s + k, slope);
        v128.store(q + k, f32x4.mul(p, slope));
      }
      pool += 32;
      u += 32;
      gain += 32;
      s += 32;
      q += 32;
    }
  }
}

/** r to s, and ∂L/∂D to q, from K q in `coupled`. */
function pullPools(
  q: usize, s: usize, coupled: usize, z: usize, gain: usize, pool: usize, epsilon: usize, own: usize,
  n: usize, strips: usize,
): void {
  const one = f32x4.splat(1);
  for (; strips > 0; strips--) {
    for (let i: usize = 0; i < n << 2; i += 4) {
      const e = v128.load_splat<f32>(epsilon + i), g = v128.load_splat<f32>(own + i);
      for (let k: usize = 0; k < 32; k += 16) {
        const r = f32x4.mul(v128.load(q + k), multiplyAdd(v128.load(s + k), v128.load(coupled + k), g));
        const y = f32x4.mul(v128.load(z + k), v128.load(gain + k));
        const surplus = f32x4.sub(one, f32x4.mul(y, y));
        v128.store(s + k, r);
        v128.store(q + k, f32x4.div(f32x4.sub(f32x4.mul(e, surplus), r), v128.load(pool + k)));
      }
      q += 32;
      s += 32;
      coupled += 32;
      z += 32;
      gain += 32;
      pool += 32;
    }
  }
}

/** z = ∂L/∂z, from γᵀ ∂L/∂D in `pulled` and r. */
function pullResponses(
  z: usize, pulled: usize, u: usize, r: usize, gain: usize, alpha: usize, n: usize, strips: usize,
): void {
  for (; strips > 0; strips--) {
    for (let i: usize = 0; i < n << 2; i += 4) {
      const exponent = v128.load_splat<f32>(alpha + i);
      for (let k: usize = 0; k < 32; k += 16) {
        const value = v128.load(z + k), g = v128.load(gain + k);
        const inner = f32x4.mul(exponent, multiplyAdd(v128.load(pulled + k), v128.load(u + k), v128.load(r + k)));
        const inverse = f32x4.div(sign(value), magnitude(value, f32x4.splat(FLOOR)));
        v128.store(z + k, multiplyAdd(f32x4.mul(value, g), g, f32x4.mul(inner, inverse)));
      }
      z += 32;
      pulled += 32;
      u += 32;
      r += 32;
      gain += 32;
    }
  }
}

/** Limits the noise of the patches of a strip, as src/denoising/empirical-bayes.ts tells. */
function bound(x: usize, noise: usize, pixels: usize, sigma: f32): void {
  const zero = f32x4.splat(0), count = f32x4.splat(<f32>pixels);
  const mostMean = f32x4.splat(5 * sigma / sqrt<f32>(<f32>pixels));
  const mostSquares = f32x4.splat(1.25 * 1.25 * sigma * sigma * <f32>pixels);
  for (let k: usize = 0; k < 32; k += 16) {
    let sumX = zero, sumN = zero;
    for (let i: usize = 0; i < pixels << 5; i += 32) {
      sumX = f32x4.add(sumX, v128.load(x + i + k));
      sumN = f32x4.add(sumN, v128.load(noise + i + k));
    }
    const meanX = f32x4.div(sumX, count), meanN = f32x4.div(sumN, count);
    let squaresX = zero, squaresN = zero;
    for (let i: usize = 0; i < pixels << 5; i += 32) {
      const dx = f32x4.sub(v128.load(x + i + k), meanX), dn = f32x4.sub(v128.load(noise + i + k), meanN);
      squaresX = multiplyAdd(dx, dx, squaresX);
      squaresN = multiplyAdd(dn, dn, squaresN);
    }
    const most = f32x4.min(squaresX, mostSquares);
    const isMore = f32x4.gt(squaresN, most);
    const shrink = f32x4.sqrt(f32x4.div(most, f32x4.max(squaresN, f32x4.splat(f32.MIN_NORMAL_VALUE))));
    const factor = v128.bitselect(shrink, f32x4.splat(1), isMore);
    const kept = f32x4.max(f32x4.neg(mostMean), f32x4.min(mostMean, meanN));
    for (let i: usize = 0; i < pixels << 5; i += 32) {
      const rest = f32x4.sub(v128.load(noise + i + k), meanN);
      v128.store(noise + i + k, multiplyAdd(factor, rest, kept));
    }
  }
}

/** x −= noise, where noise = variance·noise is limited if asked. */
function remove(x: usize, noise: usize, sigma: f32, isBounded: bool, n: usize, pixels: usize, strips: usize): void {
  const bytes = n << 5, variance = f32x4.splat(sigma * sigma);
  for (; strips > 0; strips--) {
    for (let k: usize = 0; k < bytes; k += 16) {
      v128.store(noise + k, f32x4.mul(variance, v128.load(noise + k)));
    }
    if (isBounded) bound(x, noise, pixels, sigma);
    for (let k: usize = 0; k < bytes; k += 16) {
      v128.store(x + k, f32x4.sub(v128.load(x + k), v128.load(noise + k)));
    }
    x += bytes;
    noise += bytes;
  }
}

/**
 * Adds the estimates of `count` patches to `sums`. `density` holds H, γ, K, γᵀ and Hᵀ in strips of
 * four rows, then c, α, β, ε and γ_ii; `n` is the number of pixels of a patch, rounded up to a
 * multiple of 4. For `offsets`, see strips.ts.
 */
export function estimatePatches(
  noisy: usize, sums: usize, corners: usize, count: usize, offsets: usize, pixels: usize, n: usize,
  density: usize, sigma: f32, isBounded: bool, workspace: usize,
): void {
  const square = (n * n) << 2, row = n << 2, block = n * PATCHES << 2;
  const x = workspace, z = x + block, u = z + block, pool = u + block, gain = pool + block;
  const s = gain + block, q = s + block, other = q + block;
  const c = density + 5 * square, alpha = c + row, beta = alpha + row, epsilon = beta + row, own = epsilon + row;
  while (count > 0) {
    const some = min(count, PATCHES), strips = (some + 7) >> 3;
    gatherStrips(x, noisy, corners, 0, some, offsets, n);
    multiplyStrips(z, density, x, n, strips);
    raise(z, u, c, alpha, n, strips);
    multiplyStrips(pool, density + square, u, n, strips);
    normalize(pool, u, gain, s, q, alpha, beta, epsilon, own, n, strips);
    multiplyStrips(other, density + 2 * square, q, n, strips);
    pullPools(q, s, other, z, gain, pool, epsilon, own, n, strips);
    multiplyStrips(other, density + 3 * square, q, n, strips);
    pullResponses(z, other, u, s, gain, alpha, n, strips);
    multiplyStrips(other, density + 4 * square, z, n, strips);
    remove(x, other, sigma, isBounded, n, pixels, strips);
    scatterStrips(sums, x, corners, 0, some, offsets, n, pixels);
    corners += some << 2;
    count -= some;
  }
}
