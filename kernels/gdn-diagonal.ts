/**
 * GDN with diagonal γ (ICA-MG in the paper): the components do not interact, M is diagonal, and no
 * matrix is inverted. With m = ε α γ u / D and W = 1/(1 − m), r = m W.
 */
import { highPair, logOfTwo, lowPair } from "./elementary";
import {
  Layer, backproject, finishLogDeterminant, flooredEpsilon, gradientOfPool, normalize, project, raise,
  reciprocalOf, skipSample,
} from "./gdn-layer";
import { multiplyAdd } from "./simd";

/** D = β + γ u. */
function pool(layer: Layer): void {
  for (let s: usize = 0; s < layer.paddedCount; s++) {
    const row = s * layer.stride;
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      const u = v128.load(layer.power + row + k);
      v128.store(layer.pool + row + k, multiplyAdd(v128.load(layer.gamma + k), u, v128.load(layer.beta + k)));
    }
  }
}

/** M_ii of four components, given their γ_ii. */
@inline
function slopeLoss(layer: Layer, address: usize, k: usize, gamma: usize): v128 {
  const exponents = f32x4.mul(flooredEpsilon(v128.load(layer.epsilon + k)), v128.load(layer.alpha + k));
  const share = f32x4.mul(v128.load(gamma + k), v128.load(layer.power + address));
  return f32x4.div(f32x4.mul(exponents, share), v128.load(layer.pool + address));
}

/**
 * Adds Σ log(1 − m_i) of one sample, given the γ_ii; stores the first component where 1 − m is not
 * positive.
 */
export function addSlopes(layer: Layer, sample: usize, gamma: usize): bool {
  const row = sample * layer.stride;
  let sum = f64x2.splat(0);
  let failed: i32 = -1;
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const slope = f32x4.sub(f32x4.splat(1), slopeLoss(layer, row + k, k, gamma));
    const positive = i32x4.bitmask(f32x4.gt(slope, f32x4.splat(0)));
    if (positive != 15 && failed < 0) failed = <i32>(k >> 2) + ctz(~positive);
    sum = f64x2.add(sum, f64x2.add(logOfTwo(lowPair(slope)), logOfTwo(highPair(slope))));
  }
  const value = failed < 0 ? f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1) : NaN;
  finishLogDeterminant(layer, sample, value, failed);
  return failed < 0;
}

/** Computes the gradients of α, γ and z from ∂L/∂D and r. */
function gradientOfComponents(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const address = row + k;
    const alpha = v128.load(layer.alpha + k), gamma = v128.load(layer.gamma + k);
    const u = v128.load(layer.power + address), r = v128.load(layer.rowSums + k);
    const poolGradient = v128.load(layer.poolGradient + address);
    // W ε α u / D = (1 + r) ε α u / D
    const scale = f32x4.div(f32x4.mul(flooredEpsilon(v128.load(layer.epsilon + k)), alpha), v128.load(layer.pool + address));
    const weight = f32x4.mul(f32x4.add(f32x4.splat(1), r), scale);
    const gammaGradient = f32x4.mul(u, f32x4.add(poolGradient, weight));
    v128.store(layer.gammaSum + k, f32x4.add(v128.load(layer.gammaSum + k), gammaGradient));
    const q = multiplyAdd(f32x4.mul(poolGradient, gamma), u, r);
    const alphaGradient = multiplyAdd(q, v128.load(layer.logMagnitude + address), f32x4.div(r, alpha));
    v128.store(layer.alphaSum + k, f32x4.add(v128.load(layer.alphaSum + k), alphaGradient));
    const direct = f32x4.mul(v128.load(layer.upstream + address), v128.load(layer.gain + address));
    v128.store(
      layer.zGradient + address,
      multiplyAdd(f32x4.mul(alpha, q), reciprocalOf(v128.load(layer.z + address)), direct),
    );
  }
}

/** Writes r = m / (1 − m) to rowSums. */
function sumRows(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const m = slopeLoss(layer, row + k, k, layer.gamma);
    v128.store(layer.rowSums + k, f32x4.div(m, f32x4.sub(f32x4.splat(1), m)));
  }
}

export function gaussianizeDiagonal(layer: Layer): void {
  project(layer);
  raise(layer);
  pool(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (normalize(layer, s)) addSlopes(layer, s, layer.gamma);
  }
}

export function backpropagateDiagonal(layer: Layer): void {
  project(layer);
  raise(layer);
  pool(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (!normalize(layer, s) || !addSlopes(layer, s, layer.gamma)) {
      skipSample(layer, s);
      continue;
    }
    sumRows(layer, s);
    gradientOfPool(layer, s);
    gradientOfComponents(layer, s);
  }
  backproject(layer);
}
