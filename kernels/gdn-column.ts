/**
 * GDN with exponents constant along columns, α_ij = α_j (paper §4.2): N powers per sample, one
 * matrix product for the pools of a chunk, and M = diag(a) γ diag(b), a_i = ε_i/D_i, b_j = α_j
 * |z_j|^α_j.
 */
import { addSlopes } from "./gdn-diagonal";
import {
  Layer, backproject, finishLogDeterminant, flooredEpsilon, gradientOfPool, normalize, project, raise,
  reciprocalOf, skipSample, sumProducts,
} from "./gdn-layer";
import { diagonalOfInverse, getFailedPivot, invert, logDeterminant } from "./inverse";
import { stripProduct } from "./products";
import { multiplyAdd, sumLanes } from "./simd";

/** D = β + u γᵀ for the whole chunk. */
export function pool(layer: Layer): void {
  const stride = layer.stride;
  stripProduct(
    layer.pool, stride, layer.power, stride, layer.poolStrips,
    layer.paddedCount, layer.n, layer.n, layer.transposed,
  );
  for (let s: usize = 0; s < layer.paddedCount; s++) {
    const row = layer.pool + s * stride;
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      v128.store(row + k, f32x4.add(v128.load(row + k), v128.load(layer.beta + k)));
    }
  }
}

/** Writes I − M of one sample to the scratch matrix, and M_ii to rowSums. */
function buildMatrix(layer: Layer, sample: usize): void {
  const rowBytes = layer.n << 2;
  const batchRow = sample * layer.stride;
  const a = layer.rowScale, b = layer.columnScale;
  for (let k: usize = 0; k < rowBytes; k += 16) {
    v128.store(a + k, f32x4.div(flooredEpsilon(v128.load(layer.epsilon + k)), v128.load(layer.pool + batchRow + k)));
    v128.store(b + k, f32x4.mul(v128.load(layer.alpha + k), v128.load(layer.power + batchRow + k)));
  }
  for (let i: usize = 0; i < layer.n; i++) {
    const target = layer.matrix + i * layer.stride;
    const gamma = layer.gamma + i * layer.stride;
    const factor = f32x4.splat(-load<f32>(a + (i << 2)));
    for (let k: usize = 0; k < rowBytes; k += 32) {
      v128.store(target + k, f32x4.mul(f32x4.mul(v128.load(gamma + k), v128.load(b + k)), factor));
      v128.store(target + k, f32x4.mul(f32x4.mul(v128.load(gamma + k, 16), v128.load(b + k, 16)), factor), 16);
    }
    const diagonal = target + (i << 2);
    const negated = load<f32>(diagonal);
    store<f32>(layer.rowSums + (i << 2), -negated);
    store<f32>(diagonal, 1 + negated);
  }
}

/**
 * With V = (I − M)⁻¹ = Wᵀ in the scratch matrix: adds W_ij a_i b_j to the transposed sum of ∂L/∂γ
 * and writes r_j = b_j Σ_i V_ji a_i γ_ij to rowSums. All terms are non-negative, so that no digits
 * are lost near z_j = 0.
 */
function consumeInverse(layer: Layer): void {
  const rowBytes = layer.n << 2;
  const a = layer.rowScale;
  for (let j: usize = 0; j < layer.n; j++) {
    const v = layer.matrix + j * layer.stride;
    const gamma = layer.gammaTransposed + j * layer.stride;
    const sum = layer.gammaSum + j * layer.stride;
    const bj = load<f32>(layer.columnScale + (j << 2));
    const b = f32x4.splat(bj);
    let s0 = f32x4.splat(0), s1 = s0;
    for (let k: usize = 0; k < rowBytes; k += 32) {
      const t0 = f32x4.mul(v128.load(v + k), v128.load(a + k));
      const t1 = f32x4.mul(v128.load(v + k, 16), v128.load(a + k, 16));
      s0 = multiplyAdd(t0, v128.load(gamma + k), s0);
      s1 = multiplyAdd(t1, v128.load(gamma + k, 16), s1);
      v128.store(sum + k, multiplyAdd(t0, b, v128.load(sum + k)));
      v128.store(sum + k, multiplyAdd(t1, b, v128.load(sum + k, 16)), 16);
    }
    store<f32>(layer.rowSums + (j << 2), bj * sumLanes(f32x4.add(s0, s1)));
  }
}

/** Computes y and log |det ∂y/∂z| of a chunk, without the inverse. */
export function gaussianizeColumn(layer: Layer): void {
  project(layer);
  raise(layer);
  pool(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (!normalize(layer, s)) continue;
    buildMatrix(layer, s);
    const value = logDeterminant(layer.matrix, layer.stride, layer.n, layer.workspace);
    finishLogDeterminant(layer, s, value, getFailedPivot());
  }
}

/**
 * Computes y of a chunk, and log-determinants in which only the diagonal of I − M counts: N²
 * operations per sample.
 */
export function approximateColumn(layer: Layer): void {
  project(layer);
  raise(layer);
  pool(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (normalize(layer, s)) addSlopes(layer, s, layer.diagonal);
  }
}

/**
 * With v = γᵀ ∂L/∂D and q_j = v_j u_j + r_j:
 *   ∂L/∂α_j = q_j log|z_j| + r_j/α_j,   ∂L/∂z_j = g_j D_j^−ε_j + α_j q_j / z_j
 */
export function gradientOfPowers(layer: Layer, sample: usize, pulled: usize, sums: usize): void {
  const row = sample * layer.stride;
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const alpha = v128.load(layer.alpha + k);
    const r = v128.load(sums + k);
    const q = multiplyAdd(v128.load(pulled + k), v128.load(layer.power + row + k), r);
    const alphaGradient = multiplyAdd(q, v128.load(layer.logMagnitude + row + k), f32x4.div(r, alpha));
    v128.store(layer.alphaSum + k, f32x4.add(v128.load(layer.alphaSum + k), alphaGradient));
    const direct = f32x4.mul(v128.load(layer.upstream + row + k), v128.load(layer.gain + row + k));
    v128.store(
      layer.zGradient + row + k,
      multiplyAdd(f32x4.mul(alpha, q), reciprocalOf(v128.load(layer.z + row + k)), direct),
    );
  }
}

/**
 * Computes y, the log-determinant, ∂L/∂D and r of one sample, the last in zGradient; skips the
 * sample if its elimination fails. Only ∂L/∂γ needs the inverse: r is its diagonal, minus 1.
 */
export function differentiateSample(layer: Layer, sample: usize): void {
  if (normalize(layer, sample)) {
    buildMatrix(layer, sample);
    const value = layer.wantsSums
      ? invert(layer.matrix, layer.stride, layer.n, layer.workspace)
      : diagonalOfInverse(layer.matrix, layer.stride, layer.n, layer.workspace, layer.rowSums);
    finishLogDeterminant(layer, sample, value, getFailedPivot());
    if (getFailedPivot() < 0) {
      if (layer.wantsSums) consumeInverse(layer);
      gradientOfPool(layer, sample);
      memory.copy(layer.zGradient + sample * layer.stride, layer.rowSums, layer.n << 2);
      return;
    }
  }
  skipSample(layer, sample);
}

/** Computes all gradients of a chunk and adds them to the sums. */
export function backpropagateColumn(layer: Layer): void {
  project(layer);
  raise(layer);
  pool(layer);
  // zGradient holds r until γᵀ ∂L/∂D is known for the whole chunk.
  for (let s: usize = 0; s < layer.count; s++) differentiateSample(layer, s);
  finishColumn(layer, false);
}

/**
 * ∂L/∂γ += ∂L/∂D uᵀ, and the gradients of α, z, H and x, from ∂L/∂D, and r in zGradient. Rounds the
 * terms of the gradients of γ and H to 16 bits if allowed.
 */
export function finishColumn(layer: Layer, isRounded: bool): void {
  const stride = layer.stride;
  // Transposed: u_j ∂L/∂D_i.
  if (layer.wantsSums) sumProducts(layer, layer.gammaSum, layer.power, layer.poolGradient, true, isRounded);
  stripProduct(
    layer.pulled, stride, layer.poolGradient, stride, layer.pullStrips,
    layer.paddedCount, layer.n, layer.n, layer.transposed,
  );
  for (let s: usize = 0; s < layer.count; s++) {
    if (load<i32>(layer.failedPivot + (s << 2)) >= 0) continue;
    const row = s * stride;
    gradientOfPowers(layer, s, layer.pulled + row, layer.zGradient + row);
  }
  backproject(layer, isRounded);
}
