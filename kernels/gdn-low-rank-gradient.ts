/**
 * Gradients of GDN with low-rank pooling, by matrix products over the chunk (symbols:
 * gdn-low-rank.ts):
 *
 *   q_i  = Σ_st (K⁻¹)_ts V_is U_it,   r_i = (s_i g_i + w_i q_i) / E_i
 *   T_i,st = Σ over samples of w_i (K⁻¹)_ts,   ∂L/∂U_it = … + Σ_s V_is T_i,st,
 *   ∂L/∂V_is = … + Σ_t U_it T_i,st
 *
 * No term is negative, so nothing cancels.
 */
import { gradientOfPowers } from "./gdn-column";
import { Layer, backproject, flooredEpsilon, gradientOfPool, skipSample } from "./gdn-layer";
import { evaluate, finish, hasFailed, subtractFromIdentity } from "./gdn-low-rank";
import { invert } from "./inverse";
import { outerProduct, outerTile, product, stripProduct, transpose } from "./products";
import { multiplyAdd } from "./simd";

/** Replaces each row of `inner`, the K of one sample, by K⁻ᵀ. */
function invertInner(layer: Layer): void {
  const rank = layer.rank;
  for (let s: usize = 0; s < layer.count; s++) {
    const row = layer.inner + s * layer.pairStride;
    if (!hasFailed(layer, s)) {
      subtractFromIdentity(row, rank);
      memory.copy(layer.matrix, row, (rank * rank) << 2);
      if (finish(layer, s, invert(layer.matrix, rank << 2, rank, layer.workspace))) {
        transpose(row, rank << 2, layer.matrix, rank << 2, rank, rank);
        continue;
      }
    }
    memory.fill(row, 0, layer.pairStride);
    memory.fill(layer.shares + s * layer.stride, 0, layer.stride);
    memory.fill(layer.columnPools + s * layer.rankStride, 0, layer.rankStride);
    skipSample(layer, s);
  }
}

/**
 * Replaces q of one sample in zGradient by r, copies r to rowSums, and adds
 * ∂L/∂g_i = ∂L/∂D_i u_i + (1 + r_i) s_i to its sum.
 */
export function gradientOfOwn(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  const rowBytes = layer.n << 2;
  const one = f32x4.splat(1);
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const w = v128.load(layer.shares + row + k), reciprocal = v128.load(layer.pulled + row + k);
    // m / E = s g / E = w g
    const own = f32x4.mul(w, v128.load(layer.gamma + k));
    const r = multiplyAdd(f32x4.mul(w, v128.load(layer.zGradient + row + k)), reciprocal, own);
    v128.store(layer.rowSums + k, r);
    v128.store(layer.zGradient + row + k, r);
  }
  gradientOfPool(layer, sample);
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const exponents = f32x4.mul(flooredEpsilon(v128.load(layer.epsilon + k)), v128.load(layer.alpha + k));
    const weight = f32x4.div(
      f32x4.mul(exponents, f32x4.add(one, v128.load(layer.rowSums + k))), v128.load(layer.pool + row + k),
    );
    const gradient = f32x4.mul(
      v128.load(layer.power + row + k), f32x4.add(v128.load(layer.poolGradient + row + k), weight),
    );
    v128.store(layer.gammaSum + k, f32x4.add(v128.load(layer.gammaSum + k), gradient));
  }
}

/**
 * Adds the terms with T to the sums of ∂L/∂U and ∂L/∂V, eight components at a time: their T, in
 * rows of 32 bytes, fits in the first-level cache.
 */
function gradientOfFactors(layer: Layer): void {
  const rank = layer.rank, stride = layer.stride, T = layer.matrix;
  const leftSum = layer.gammaSum + stride, rightSum = leftSum + rank * stride;
  for (let k: usize = 0; k < layer.n << 2; k += 32) {
    for (let i: usize = 0; i < rank * rank; i += 4) {
      outerTile(
        T + (i << 5), 32, layer.inner + (i << 2), layer.pairStride, layer.shares + k, stride, layer.count, false,
      );
    }
    for (let s: usize = 0; s < rank; s++) {
      contractRow(T + ((s * rank) << 5), layer.rightRows + s * stride + k, layer.leftRows + k,
        leftSum + k, rightSum + s * stride + k, rank, stride);
    }
  }
}

/** Adds V_s T_t to ∂L/∂U_t for all t, and Σ_t U_t T_t to ∂L/∂V_s, with T_t in rows of eight. */
export function contractRow(
  T: usize, v: usize, u: usize, leftSum: usize, rightSum: usize, rank: usize, stride: usize,
): void {
  const v0 = v128.load(v), v1 = v128.load(v, 16);
  let sum0 = v128.load(rightSum), sum1 = v128.load(rightSum, 16);
  for (const end = T + (rank << 5); T < end; T += 32) {
    const t0 = v128.load(T), t1 = v128.load(T, 16);
    sum0 = multiplyAdd(v128.load(u), t0, sum0);
    sum1 = multiplyAdd(v128.load(u, 16), t1, sum1);
    v128.store(leftSum, multiplyAdd(v0, t0, v128.load(leftSum)));
    v128.store(leftSum, multiplyAdd(v1, t1, v128.load(leftSum, 16)), 16);
    u += stride;
    leftSum += stride;
  }
  v128.store(rightSum, sum0);
  v128.store(rightSum, sum1, 16);
}

/**
 * Adds ∂L/∂D (Vᵀu)ᵀ to ∂L/∂U and u (Uᵀ ∂L/∂D)ᵀ to ∂L/∂V; computes
 * γᵀ ∂L/∂D = g∘∂L/∂D + V (Uᵀ ∂L/∂D) of every sample.
 */
function gradientOfPools(layer: Layer): void {
  const rank = layer.rank, stride = layer.stride;
  const leftSum = layer.gammaSum + stride, rightSum = leftSum + rank * stride;
  product(
    layer.columnGradients, layer.rankStride, layer.poolGradient, stride, layer.left, layer.rankStride,
    layer.paddedCount, layer.n, rank, layer.transposed,
  );
  if (layer.wantsSums) {
    outerProduct(
      leftSum, stride, layer.columnPools, layer.rankStride, layer.poolGradient, stride, layer.count, rank, layer.n, true,
    );
    outerProduct(
      rightSum, stride, layer.columnGradients, layer.rankStride, layer.power, stride, layer.count, rank, layer.n, true,
    );
  }
  product(
    layer.pulled, stride, layer.columnGradients, layer.rankStride, layer.rightRows, stride,
    layer.paddedCount, rank, layer.n, layer.transposed,
  );
  for (let s: usize = 0; s < layer.count; s++) {
    const row = s * stride;
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      const own = v128.load(layer.pulled + row + k);
      v128.store(
        layer.pulled + row + k,
        multiplyAdd(v128.load(layer.gamma + k), v128.load(layer.poolGradient + row + k), own),
      );
    }
  }
}

/** Computes all gradients of a chunk and adds them to the sums. */
export function backpropagateLowRank(layer: Layer): void {
  const stride = layer.stride;
  evaluate(layer);
  invertInner(layer);
  // zGradient holds q, and then r, until γᵀ ∂L/∂D is known for the whole chunk.
  stripProduct(
    layer.zGradient, stride, layer.inner, layer.pairStride, layer.ownStrips,
    layer.paddedCount, layer.rank * layer.rank, layer.n, layer.transposed,
  );
  for (let s: usize = 0; s < layer.count; s++) {
    if (!hasFailed(layer, s)) gradientOfOwn(layer, s);
  }
  if (layer.wantsSums) gradientOfFactors(layer);
  gradientOfPools(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (hasFailed(layer, s)) continue;
    const row = s * stride;
    gradientOfPowers(layer, s, layer.pulled + row, layer.zGradient + row);
  }
  backproject(layer);
}
