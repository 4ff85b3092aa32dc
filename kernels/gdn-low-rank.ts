/**
 * GDN with exponents α_j and low-rank pooling, γ = diag(g) + U Vᵀ (derived in
 * src/kernels/low-rank.ts). With s_i = ε_i α_i u_i / D_i, E_i = 1 − s_i g_i and w_i = s_i / E_i,
 * all work of cost N R² is one matrix product over the chunk, because all samples share the
 * products V_is U_it:
 *
 *   K_st = δ_st − Σ_i w_i V_is U_it
 *
 * No term of the sum is negative, so nothing cancels. Gradients: gdn-low-rank-gradient.ts.
 */
import { highPair, inlineLogOfTwo, lowPair } from "./elementary";
import { FACTORS, Layer, finishLogDeterminant, flooredEpsilon, normalize, project, raise } from "./gdn-layer";
import { getFailedPivot, logDeterminant } from "./inverse";
import { product, stripProduct, transpose } from "./products";
import { multiplyAdd } from "./simd";

/** Computes the products V_is U_it and γ_ii from the loaded factors. */
export function prepareLowRank(layer: Layer): void {
  const rank = layer.rank, stride = layer.stride, rankStride = layer.rankStride;
  transpose(layer.left, layer.rankStride, layer.leftRows, stride, rank, layer.n);
  transpose(layer.right, layer.rankStride, layer.rightRows, stride, rank, layer.n);
  let target = layer.pairStrips;
  for (let s: usize = 0; s < rank; s++) {
    for (let t: usize = 0; t < rank; t += 8) {
      let u = layer.left + (t << 2), v = layer.right + (s << 2);
      for (let i: usize = 0; i < layer.n; i++) {
        const factor = v128.load_splat<f32>(v);
        v128.store(target, f32x4.mul(factor, v128.load(u)));
        v128.store(target, f32x4.mul(factor, v128.load(u, 16)), 16);
        target += 32;
        u += rankStride;
        v += rankStride;
      }
    }
  }
  target = layer.ownStrips;
  for (let k: usize = 0; k < layer.n << 2; k += 32) {
    let d0 = v128.load(layer.gamma + k), d1 = v128.load(layer.gamma + k, 16);
    for (let s: usize = 0; s < rank; s++) {
      const v = layer.rightRows + s * stride + k;
      const v0 = v128.load(v), v1 = v128.load(v, 16);
      for (let t: usize = 0; t < rank; t++) {
        const u = layer.leftRows + t * stride + k;
        const p0 = f32x4.mul(v0, v128.load(u)), p1 = f32x4.mul(v1, v128.load(u, 16));
        v128.store(target, p0);
        v128.store(target, p1, 16);
        target += 32;
        if (s != t) continue;
        d0 = f32x4.add(d0, p0);
        d1 = f32x4.add(d1, p1);
      }
    }
    v128.store(layer.diagonal + k, d0);
    v128.store(layer.diagonal + k, d1, 16);
  }
}

/** D = β + g∘u + U (Vᵀu) for the whole chunk. */
function pool(layer: Layer): void {
  const stride = layer.stride;
  product(
    layer.columnPools, layer.rankStride, layer.power, stride, layer.right, layer.rankStride,
    layer.paddedCount, layer.n, layer.rank, layer.transposed,
  );
  product(
    layer.pool, stride, layer.columnPools, layer.rankStride, layer.leftRows, stride,
    layer.paddedCount, layer.rank, layer.n, layer.transposed,
  );
  for (let s: usize = 0; s < layer.paddedCount; s++) {
    const row = s * stride;
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      const own = multiplyAdd(v128.load(layer.gamma + k), v128.load(layer.power + row + k), v128.load(layer.beta + k));
      v128.store(layer.pool + row + k, f32x4.add(v128.load(layer.pool + row + k), own));
    }
  }
}

/**
 * Writes w of one sample to `shares` and 1/E to `pulled`; adds Σ log E_i to its log-determinant.
 * Returns false if the sample fails because some E_i is not positive.
 */
export function shareOut(layer: Layer, sample: usize): bool {
  const row = sample * layer.stride;
  const rowBytes = layer.n << 2;
  const one = f32x4.splat(1);
  let failed: i32 = -1;
  let sum = f64x2.splat(0);
  for (let first: usize = 0; first < rowBytes; first += FACTORS << 2) {
    let factors = f64x2.splat(1);
    const end = min(first + (FACTORS << 2), rowBytes);
    for (let k = first; k < end; k += 16) {
      const exponents = f32x4.mul(flooredEpsilon(v128.load(layer.epsilon + k)), v128.load(layer.alpha + k));
      const s = f32x4.div(f32x4.mul(exponents, v128.load(layer.power + row + k)), v128.load(layer.pool + row + k));
      const slope = f32x4.sub(one, f32x4.mul(s, v128.load(layer.gamma + k)));
      const positive = i32x4.bitmask(f32x4.gt(slope, f32x4.splat(0)));
      if (positive != 15 && failed < 0) failed = <i32>(k >> 2) + ctz(~positive);
      factors = f64x2.mul(factors, f64x2.mul(lowPair(slope), highPair(slope)));
      const reciprocal = f32x4.div(one, slope);
      v128.store(layer.pulled + row + k, reciprocal);
      v128.store(layer.shares + row + k, f32x4.mul(s, reciprocal));
    }
    if (failed >= 0) break;
    sum = f64x2.add(sum, inlineLogOfTwo(factors));
  }
  const value = failed < 0 ? f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1) : NaN;
  finishLogDeterminant(layer, sample, value, failed);
  return failed < 0;
}

/** Computes Vᵀ diag(w) U = I − K of every sample, in rows of R² values. */
function buildInner(layer: Layer): void {
  stripProduct(
    layer.inner, layer.pairStride, layer.shares, layer.stride, layer.pairStrips,
    layer.paddedCount, layer.n, layer.rank * layer.rank, layer.transposed,
  );
}

/** Replaces an R×R matrix X by I − X. */
export function subtractFromIdentity(matrix: usize, rank: usize): void {
  for (let k: usize = 0; k < (rank * rank) << 2; k += 16) v128.store(matrix + k, f32x4.neg(v128.load(matrix + k)));
  for (let r: usize = 0; r < rank; r++) {
    const diagonal = matrix + ((r * (rank + 1)) << 2);
    store<f32>(diagonal, 1 + load<f32>(diagonal));
  }
}

/** Adds log det K, or marks the sample as failed at its last component. */
export function finish(layer: Layer, sample: usize, value: f64): bool {
  const isSound = getFailedPivot() < 0;
  finishLogDeterminant(layer, sample, value, isSound ? -1 : <i32>layer.components - 1);
  return isSound;
}

@inline
export function hasFailed(layer: Layer, sample: usize): bool {
  return load<i32>(layer.failedPivot + (sample << 2)) >= 0;
}

/** First part of both the forward and the backward pass. */
export function evaluate(layer: Layer): void {
  project(layer);
  raise(layer);
  pool(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (normalize(layer, s)) shareOut(layer, s);
  }
  buildInner(layer);
}

/** Computes y and log |det ∂y/∂z| of a chunk, without the inverse. */
export function gaussianizeLowRank(layer: Layer): void {
  evaluate(layer);
  const rank = layer.rank;
  for (let s: usize = 0; s < layer.count; s++) {
    if (hasFailed(layer, s)) continue;
    const K = layer.inner + s * layer.pairStride;
    subtractFromIdentity(K, rank);
    finish(layer, s, logDeterminant(K, rank << 2, rank, layer.workspace));
  }
}
