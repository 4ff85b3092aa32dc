/**
 * GDN with exponents α_j and pools of rank one, γ = diag(g) + U Vᵀ with vectors U and V: the
 * formulas of gdn-low-rank.ts for R = 1, in N operations per sample.
 *
 *   D_i = β_i + g_i u_i + U_i P,   P = Σ_j V_j u_j
 *   K = 1 − Σ_i w_i V_i U_i,   log det(I − M) = Σ_i log E_i + log K
 *   r_i = (s_i g_i + w_i V_i U_i / K) / E_i
 *   ∂L/∂U_i = ∂L/∂D_i P + V_i w_i / K,   ∂L/∂V_i = u_i G + U_i w_i / K,   G = Σ_i U_i ∂L/∂D_i
 */
import { logOf } from "./elementary";
import { gradientOfPowers } from "./gdn-column";
import { Layer, backproject, finishLogDeterminant, normalize, project, raise, skipSample } from "./gdn-layer";
import { shareOut } from "./gdn-low-rank";
import { gradientOfOwn } from "./gdn-low-rank-gradient";
import { dot } from "./krylov";
import { multiplyAdd, sumLanes } from "./simd";

/** Writes D of one sample, and P to columnPools. */
function pool(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  const P = dot(layer.rightRows, layer.power + row, layer.n << 2);
  store<f32>(layer.columnPools + sample * layer.rankStride, P);
  const factor = f32x4.splat(P);
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const own = multiplyAdd(v128.load(layer.gamma + k), v128.load(layer.power + row + k), v128.load(layer.beta + k));
    v128.store(layer.pool + row + k, multiplyAdd(factor, v128.load(layer.leftRows + k), own));
  }
}

/** Computes y and the log-determinant of one sample; returns K, or 0 if the sample fails. */
function evaluateSample(layer: Layer, sample: usize): f32 {
  pool(layer, sample);
  if (!normalize(layer, sample) || !shareOut(layer, sample)) return 0;
  let sum = f32x4.splat(0);
  const shares = layer.shares + sample * layer.stride;
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const pair = f32x4.mul(v128.load(layer.rightRows + k), v128.load(layer.leftRows + k));
    sum = multiplyAdd(v128.load(shares + k), pair, sum);
  }
  const K: f32 = <f32>1 - sumLanes(sum);
  const isSound = K > 0;
  finishLogDeterminant(layer, sample, isSound ? logOf(<f64>K) : NaN, isSound ? -1 : <i32>layer.components - 1);
  return isSound ? K : <f32>0;
}

/** Computes y and log |det ∂y/∂z| of a chunk. */
export function gaussianizeRankOne(layer: Layer): void {
  project(layer);
  raise(layer);
  for (let s: usize = 0; s < layer.count; s++) evaluateSample(layer, s);
}

/** Adds to the sums of ∂L/∂U and ∂L/∂V, and writes γᵀ ∂L/∂D of one sample to `pulled`. */
function gradientOfFactors(layer: Layer, sample: usize, K: f32): void {
  const row = sample * layer.stride;
  const leftSum = layer.gammaSum + layer.stride, rightSum = leftSum + layer.rank * layer.stride;
  const P = v128.load_splat<f32>(layer.columnPools + sample * layer.rankStride);
  const G = f32x4.splat(dot(layer.leftRows, layer.poolGradient + row, layer.n << 2));
  const reciprocal = f32x4.splat(1 / K);
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const left = v128.load(layer.leftRows + k), right = v128.load(layer.rightRows + k);
    const share = f32x4.mul(v128.load(layer.shares + row + k), reciprocal);
    const gradient = v128.load(layer.poolGradient + row + k);
    const ofLeft = multiplyAdd(right, share, f32x4.mul(gradient, P));
    v128.store(leftSum + k, f32x4.add(v128.load(leftSum + k), ofLeft));
    const ofRight = multiplyAdd(left, share, f32x4.mul(v128.load(layer.power + row + k), G));
    v128.store(rightSum + k, f32x4.add(v128.load(rightSum + k), ofRight));
    v128.store(layer.pulled + row + k, multiplyAdd(v128.load(layer.gamma + k), gradient, f32x4.mul(right, G)));
  }
}

/** Computes all gradients of a chunk and adds them to the sums. */
export function backpropagateRankOne(layer: Layer): void {
  project(layer);
  raise(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    const K = evaluateSample(layer, s);
    if (K == 0) {
      skipSample(layer, s);
      continue;
    }
    const row = s * layer.stride;
    const reciprocal = f32x4.splat(1 / K);
    // q_i, which gradientOfOwn replaces by r_i.
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      const pair = f32x4.mul(v128.load(layer.rightRows + k), v128.load(layer.leftRows + k));
      v128.store(layer.zGradient + row + k, f32x4.mul(pair, reciprocal));
    }
    gradientOfOwn(layer, s);
    gradientOfFactors(layer, s, K);
    gradientOfPowers(layer, s, layer.pulled + row, layer.zGradient + row);
  }
  backproject(layer);
}
