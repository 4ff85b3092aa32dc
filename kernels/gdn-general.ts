/**
 * GDN with free exponents α_ij: N² powers u_ij = |z_j|^α_ij per sample. With W = (I − M)⁻ᵀ and
 * T_ij = ∂L/∂D_i + W_ij a_i α_ij, a_i = ε_i/D_i:
 *
 *   ∂L/∂γ_ij = u_ij T_ij,   ∂L/∂α_ij = γ_ij u_ij (T_ij log|z_j| + W_ij a_i),
 *   ∂L/∂z_j  = g_j D_j^−ε_j + (1/z_j) Σ_i α_ij γ_ij u_ij T_ij
 */
import { highPair, inlineExpOfTwo, logOfTwo, lowPair, roundPairs } from "./elementary";
import {
  Layer, backproject, finishLogDeterminant, flooredEpsilon, gradientOfPool, logOrZero, magnitudeOf, normalize, project,
  reciprocalOf, skipSample,
} from "./gdn-layer";
import { getFailedPivot, invert, logDeterminant } from "./inverse";
import { transpose } from "./products";
import { multiplyAdd, sumLanes } from "./simd";

/**
 * Writes log |z_j| of one sample to its batch row, and in Float64 to the idle inverse workspace.
 */
function takeLogarithms(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const size = magnitudeOf(v128.load(layer.z + row + k));
    const lowSize = lowPair(size), highSize = highPair(size);
    const low = logOfTwo(lowSize), high = logOfTwo(highSize);
    v128.store(layer.logMagnitude + row + k, roundPairs(low, high));
    v128.store(layer.workspace + (k << 1), logOrZero(lowSize, low));
    v128.store(layer.workspace + (k << 1), logOrZero(highSize, high), 16);
  }
}

/** Computes u_ij and D_i = β_i + Σ_j γ_ij u_ij of one sample. */
function raiseAndPool(layer: Layer, sample: usize): void {
  takeLogarithms(layer, sample);
  poolPowers(layer, layer.workspace, layer.pool + sample * layer.stride);
}

/** Computes u_ij and D_i from log |z_j| in Float64. */
export function poolPowers(layer: Layer, logarithms: usize, pool: usize): void {
  const rowBytes = layer.n << 2;
  for (let i: usize = 0; i < layer.n; i++) {
    const matrixRow = i * layer.stride;
    const alpha = layer.alpha + matrixRow, gamma = layer.gamma + matrixRow, power = layer.powers + matrixRow;
    let sum = f32x4.splat(0);
    for (let k: usize = 0; k < rowBytes; k += 16) {
      const exponent = v128.load(alpha + k);
      const logarithm = logarithms + (k << 1);
      const u = roundPairs(
        inlineExpOfTwo(f64x2.mul(v128.load(logarithm), lowPair(exponent))),
        inlineExpOfTwo(f64x2.mul(v128.load(logarithm, 16), highPair(exponent))),
      );
      v128.store(power + k, u);
      sum = multiplyAdd(u, v128.load(gamma + k), sum);
    }
    store<f32>(pool + (i << 2), load<f32>(layer.beta + (i << 2)) + sumLanes(sum));
  }
}

/** Writes I − M of one sample to the scratch matrix, and a_i to rowScale. */
function buildMatrix(layer: Layer, sample: usize): void {
  const rowBytes = layer.n << 2;
  const batchRow = sample * layer.stride;
  const a = layer.rowScale;
  for (let k: usize = 0; k < rowBytes; k += 16) {
    v128.store(a + k, f32x4.div(flooredEpsilon(v128.load(layer.epsilon + k)), v128.load(layer.pool + batchRow + k)));
  }
  for (let i: usize = 0; i < layer.n; i++) {
    const matrixRow = i * layer.stride;
    const target = layer.matrix + matrixRow;
    const factor = f32x4.splat(-load<f32>(a + (i << 2)));
    for (let k: usize = 0; k < rowBytes; k += 16) {
      const weight = f32x4.mul(v128.load(layer.alpha + matrixRow + k), v128.load(layer.gamma + matrixRow + k));
      v128.store(target + k, f32x4.mul(f32x4.mul(weight, v128.load(layer.powers + matrixRow + k)), factor));
    }
    const diagonal = target + (i << 2);
    store<f32>(diagonal, 1 + load<f32>(diagonal));
  }
}

/** Writes r_i = a_i Σ_j V_ji α_ij γ_ij u_ij to rowSums. */
function sumRows(layer: Layer): void {
  const rowBytes = layer.n << 2;
  memory.fill(layer.rowSums, 0, rowBytes);
  for (let j: usize = 0; j < layer.n; j++) {
    const matrixRow = j * layer.stride;
    for (let k: usize = 0; k < rowBytes; k += 16) {
      const weight = f32x4.mul(
        v128.load(layer.alphaTransposed + matrixRow + k), v128.load(layer.gammaTransposed + matrixRow + k),
      );
      const term = f32x4.mul(weight, v128.load(layer.powersTransposed + matrixRow + k));
      const sum = layer.rowSums + k;
      v128.store(sum, multiplyAdd(term, v128.load(layer.matrix + matrixRow + k), v128.load(sum)));
    }
  }
  for (let k: usize = 0; k < rowBytes; k += 16) {
    v128.store(layer.rowSums + k, f32x4.mul(v128.load(layer.rowSums + k), v128.load(layer.rowScale + k)));
  }
}

/** Computes the gradients of α, γ and z of one sample from its ∂L/∂D. */
function consumeInverse(layer: Layer, sample: usize): void {
  const rowBytes = layer.n << 2;
  const batchRow = sample * layer.stride;
  const poolGradient = layer.poolGradient + batchRow;
  for (let j: usize = 0; j < layer.n; j++) {
    const matrixRow = j * layer.stride;
    const logarithm = v128.load_splat<f32>(layer.logMagnitude + batchRow + (j << 2));
    let total = f32x4.splat(0);
    for (let k: usize = 0; k < rowBytes; k += 16) {
      const alpha = v128.load(layer.alphaTransposed + matrixRow + k);
      const gamma = v128.load(layer.gammaTransposed + matrixRow + k);
      const u = v128.load(layer.powersTransposed + matrixRow + k);
      const w = f32x4.mul(v128.load(layer.matrix + matrixRow + k), v128.load(layer.rowScale + k));
      const t = multiplyAdd(w, alpha, v128.load(poolGradient + k));
      const gammaGradient = f32x4.mul(u, t);
      const gammaSum = layer.gammaSum + matrixRow + k;
      v128.store(gammaSum, f32x4.add(v128.load(gammaSum), gammaGradient));
      const alphaSum = layer.alphaSum + matrixRow + k;
      v128.store(alphaSum, multiplyAdd(f32x4.mul(gamma, u), multiplyAdd(t, logarithm, w), v128.load(alphaSum)));
      total = multiplyAdd(f32x4.mul(alpha, gamma), gammaGradient, total);
    }
    store<f32>(layer.zGradient + batchRow + (j << 2), sumLanes(total));
  }
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const address = batchRow + k;
    const direct = f32x4.mul(v128.load(layer.upstream + address), v128.load(layer.gain + address));
    const pooled = f32x4.mul(v128.load(layer.zGradient + address), reciprocalOf(v128.load(layer.z + address)));
    v128.store(layer.zGradient + address, f32x4.add(direct, pooled));
  }
}

/** Computes y and log |det ∂y/∂z| of a chunk, without the inverse. */
export function gaussianizeGeneral(layer: Layer): void {
  project(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    raiseAndPool(layer, s);
    if (!normalize(layer, s)) continue;
    buildMatrix(layer, s);
    const value = logDeterminant(layer.matrix, layer.stride, layer.n, layer.workspace);
    finishLogDeterminant(layer, s, value, getFailedPivot());
  }
}

/** Computes y, the log-determinant and the inverse of one sample; returns false if that fails. */
function invertSample(layer: Layer, sample: usize): bool {
  raiseAndPool(layer, sample);
  if (!normalize(layer, sample)) return false;
  buildMatrix(layer, sample);
  const value = invert(layer.matrix, layer.stride, layer.n, layer.workspace);
  finishLogDeterminant(layer, sample, value, getFailedPivot());
  return getFailedPivot() < 0;
}

/** Computes all gradients of a chunk and adds them to the sums. */
export function backpropagateGeneral(layer: Layer): void {
  project(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (!invertSample(layer, s)) {
      skipSample(layer, s);
      continue;
    }
    transpose(layer.powersTransposed, layer.stride, layer.powers, layer.stride, layer.n, layer.n);
    sumRows(layer);
    gradientOfPool(layer, s);
    consumeInverse(layer, s);
  }
  backproject(layer);
}
