/**
 * Estimates of patches by one guided density (src/denoising/guided/guided-density.ts), and the
 * gradient of a loss. All matrices are row-major. Patches are rows, whose number is a multiple of
 * 4; `n` pixels and `k` cells are multiples of 8.
 */
import { logArray, powArray } from "./elementary";
import { outerProduct, product, transpose } from "./products";
import { multiplySubtract } from "./simd";

/** Parameters of a density: H, M, G, γ, α and β, one after another. */
let H: usize = 0, M: usize = 0, G: usize = 0, gamma: usize = 0, alpha: usize = 0, beta: usize = 0;

function layOut(parameters: usize, n: usize, k: usize): void {
  H = parameters;
  M = H + ((n * n) << 2);
  G = M + ((n * k) << 2);
  gamma = G + ((n * k) << 2);
  alpha = gamma + ((n * n) << 2);
  beta = alpha + (n << 2);
}

/** C = A·Bᵀ, where B has n rows and `depth` columns. */
function productWithTranspose(
  c: usize, a: usize, b: usize, rows: usize, depth: usize, n: usize, scratch: usize,
): void {
  transpose(scratch, n << 2, b, depth << 2, n, depth);
  product(c, n << 2, a, depth << 2, scratch, n << 2, rows, depth, n, scratch + ((depth * n) << 2));
}

/** pooled = |v|^α, with |v| in `scratch`. */
function raise(pooled: usize, v: usize, rows: usize, n: usize, scratch: usize): void {
  for (const end = v + ((rows * n) << 2); v < end; ) {
    for (let j: usize = 0; j < n << 2; j += 16) v128.store(scratch + j, f32x4.abs(v128.load(v + j)));
    powArray(scratch, alpha, pooled, n);
    v += n << 2;
    pooled += n << 2;
  }
}

/** D = D + β, u = (u − mean) / D */
function divide(u: usize, mean: usize, D: usize, rows: usize, n: usize): void {
  for (const end = u + ((rows * n) << 2); u < end; ) {
    for (let j: usize = 0; j < n << 2; j += 16) {
      const d = f32x4.add(v128.load(D), v128.load(beta + j));
      v128.store(D, d);
      v128.store(u, f32x4.div(f32x4.sub(v128.load(u), v128.load(mean)), d));
      u += 16;
      mean += 16;
      D += 16;
    }
  }
}

/**
 * Computes x̃ − σ² Hᵀ (u / D), where u = H x̃ − M x̂, v = G x̂ and D = β + γ |v|^α. `ratio`
 * receives u / D.
 */
export function guidedActivity(
  parameters: usize, x: usize, guide: usize, v: usize, pooled: usize, D: usize, ratio: usize,
  estimate: usize, rows: usize, n: usize, k: usize, variance: f32, scratch: usize,
): void {
  layOut(parameters, n, k);
  productWithTranspose(ratio, x, H, rows, n, n, scratch);
  productWithTranspose(estimate, guide, M, rows, k, n, scratch);
  productWithTranspose(v, guide, G, rows, k, n, scratch);
  raise(pooled, v, rows, n, scratch);
  productWithTranspose(D, pooled, gamma, rows, n, n, scratch);
  divide(ratio, estimate, D, rows, n);
  product(estimate, n << 2, ratio, n << 2, H, n << 2, rows, n, n, scratch);
  const factor = f32x4.splat(variance);
  for (const end = x + ((rows * n) << 2); x < end; x += 16) {
    v128.store(estimate, multiplySubtract(factor, v128.load(estimate), v128.load(x)));
    estimate += 16;
  }
}

/** byU = −σ² w / D, byD = σ² w u / D², ratio = −σ² u / D; byU holds w before. */
function slopes(byU: usize, byD: usize, D: usize, ratio: usize, count: usize, variance: f32): void {
  const factor = f32x4.splat(-variance);
  for (const end = byU + (count << 2); byU < end; byU += 16) {
    const u = f32x4.div(f32x4.mul(factor, v128.load(byU)), v128.load(D));
    const r = v128.load(ratio);
    v128.store(byU, u);
    v128.store(byD, f32x4.neg(f32x4.mul(u, r)));
    v128.store(ratio, f32x4.mul(factor, r));
    byD += 16;
    D += 16;
    ratio += 16;
  }
}

/**
 * Adds to the sums of ∂L/∂α and ∂L/∂β, and turns ∂L/∂|v|^α into ∂L/∂v, which is 0 where v is 0.
 */
function poolSlopes(
  byV: usize, v: usize, pooled: usize, byD: usize, rows: usize, n: usize, sums: usize, scratch: usize,
): void {
  const logs = scratch + (n << 2), zero = f32x4.splat(0);
  for (const end = v + ((rows * n) << 2); v < end; ) {
    for (let j: usize = 0; j < n << 2; j += 16) v128.store(scratch + j, f32x4.abs(v128.load(v + j)));
    logArray(scratch, logs, n);
    for (let j: usize = 0; j < n << 2; j += 16) {
      const response = v128.load(v);
      const isZero = f32x4.eq(response, zero);
      const slope = f32x4.mul(v128.load(byV), v128.load(pooled));
      const byAlpha = v128.andnot(f32x4.mul(slope, v128.load(logs + j)), isZero);
      const byResponse = f32x4.div(f32x4.mul(v128.load(alpha + j), slope), response);
      v128.store(sums + j, f32x4.add(v128.load(sums + j), byAlpha));
      const betas = sums + (n << 2) + j;
      v128.store(betas, f32x4.add(v128.load(betas), v128.load(byD)));
      v128.store(byV, v128.andnot(byResponse, isZero));
      byV += 16;
      v += 16;
      pooled += 16;
      byD += 16;
    }
  }
}

/**
 * Computes the derivatives of a loss by the parameters, from its derivatives `errors` by the
 * estimates, after `guidedActivity`, whose `ratio` it overwrites.
 */
export function guidedGradient(
  parameters: usize, x: usize, guide: usize, v: usize, pooled: usize, D: usize, ratio: usize,
  errors: usize, rows: usize, n: usize, k: usize, variance: f32, gradient: usize,
  byU: usize, byD: usize, byV: usize, scratch: usize,
): void {
  const row = n << 2, count = rows * n;
  layOut(parameters, n, k);
  productWithTranspose(byU, errors, H, rows, n, n, scratch);
  slopes(byU, byD, D, ratio, count, variance);
  product(byV, row, byD, row, gamma, row, rows, n, n, scratch);
  const sums = gradient + (alpha - parameters);
  memory.fill(sums, 0, row << 1);
  poolSlopes(byV, v, pooled, byD, rows, n, sums, scratch);
  outerProduct(gradient, row, ratio, row, errors, row, rows, n, n, false);
  outerProduct(gradient, row, byU, row, x, row, rows, n, n, true);
  for (let at: usize = 0; at < count << 2; at += 16) v128.store(byU + at, f32x4.neg(v128.load(byU + at)));
  outerProduct(gradient + (M - H), k << 2, byU, row, guide, k << 2, rows, n, k, false);
  outerProduct(gradient + (G - H), k << 2, byV, row, guide, k << 2, rows, n, k, false);
  outerProduct(gradient + (gamma - H), row, byD, row, pooled, row, rows, n, n, false);
}
