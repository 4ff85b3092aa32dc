/**
 * Gradients of GDN with α_ij = α_j that need no inverse: products of the whole chunk with shared
 * matrices, N² operations per sample instead of N³. With M = diag(a) γ diag(b) as in gdn-column.ts:
 *
 *   m_i = M_ii,   a'_i = a_i / (1 − m_i),   c_i = a'_i b_i
 *   K_ij = a'_i γ_ij b_j for i ≠ j, K_ii = 0,   S = γ∘γᵀ with S_ii = 0
 *   log det(I − M) = Σ_i log(1 − m_i) − ½ Σ_ij c_i S_ij c_j − Σ_{n≥3} tr Kⁿ / n
 *
 * The first two terms are exact. The third is estimated with a vector v of random signs and
 *
 *   w = Σ_{n≥2} (Kᵀ)ⁿ v,   E[w vᵀ] = Σ_{n≥2} (Kᵀ)ⁿ,   E[w_i (K v)_i] = Σ_{n≥3} (Kⁿ)_ii
 *
 * so that, with ρ_i = c_i (S c)_i + w_i (K v)_i:
 *
 *   r_i  = (m_i + ρ_i) / (1 − m_i),   ∂L/∂γ_ii = … + c_i (1 + ρ_i)
 *   ∂L/∂γ_ij = … + γ_ji c_i c_j + (a'_i w_i) (b_j v_j)   for i ≠ j
 *
 * Another estimate of the last sum, v_i (Kᵀw)_i, is not proportional to a_i: divided by ε_i, as in
 * ∂L/∂ε_i, its noise has no bound. krylov-sums.ts finds w. A sample for which it does not converge
 * is computed with its inverse.
 */
import { highPair, logOfTwo, lowPair } from "./elementary";
import { coarsen, largestLane } from "./coarse-matrix";
import { packSquares, squareColumns } from "./coarse-outer";
import { differentiateSample, finishColumn, pool } from "./gdn-column";
import {
  FACTORS, Layer, addToLogDeterminant, finishLogDeterminant, flooredEpsilon, gradientOfPool, normalize, project, raise,
  skipSample, sumProducts,
} from "./gdn-layer";
import { MOST_PRODUCTS, basisRow, combine, growBasis, roundingError, solveSmall } from "./krylov-sums";
import { packTransposed, stripProduct, transpose } from "./products";
import { multiplyAdd, multiplySubtract, sumLanes } from "./simd";

/** A residual above this, relative to ‖v‖, is not trusted: the sample is computed exactly. */
const LARGEST_RESIDUAL: f64 = 0.25;
/** The same for roundings to 16 bits, which are large if the pools of a sample differ widely. */
const LARGEST_ROUNDING: f64 = 0.05;
/** Products after which the residual is looked at for the first time. */
const FIRST_LOOK: usize = 4;
/** failedPivot of a sample whose exact computation is still to come. */
const UNCONVERGED: i32 = i32.MAX_VALUE;

/**
 * γ without its diagonal in 16 bits, its units, and S, once for each set of parameters. Overwrites
 * the coarse copy of γ that the inverse uses.
 */
export function prepareProbes(layer: Layer): void {
  const n = layer.n, stride = layer.stride, matrix = layer.matrix;
  memory.copy(matrix, layer.gammaTransposed, n * stride);
  coarsen(layer.coarse, matrix, stride, n);
  memory.copy(layer.units, layer.coarse + (n << 2), n << 2);
  packTransposed(layer.otherStrips, layer.coarse + (n << 3), n << 1, n, n >> 1);
  for (let i: usize = 0; i < n; i++) {
    const row = i * stride;
    for (let k: usize = 0; k < n << 2; k += 16) {
      const both = f32x4.mul(v128.load(matrix + row + k), v128.load(layer.gamma + row + k));
      v128.store(matrix + row + k, both);
    }
  }
  packTransposed(layer.couplingStrips, matrix, stride, n, n);
}

/**
 * a', b, c and 1/(1 − m) of one sample, and α_max ‖D − β‖; Σ log(1 − m_i) goes to its
 * log-determinant.
 */
function scaleSample(layer: Layer, sample: usize): bool {
  const row = sample * layer.stride;
  const one = f32x4.splat(1);
  const rowBytes = layer.n << 2;
  let sum = f64x2.splat(0);
  let failed: i32 = -1;
  let largestAlpha = one, squares = f32x4.splat(0);
  for (let first: usize = 0; first < rowBytes; first += FACTORS << 2) {
    let factors = f64x2.splat(1);
    const end = min(first + (FACTORS << 2), rowBytes);
    for (let k = first; k < end; k += 16) {
      const alpha = v128.load(layer.alpha + k), pool = v128.load(layer.pool + row + k);
      const others = f32x4.sub(pool, v128.load(layer.beta + k));
      squares = multiplyAdd(others, others, squares);
      largestAlpha = f32x4.pmax(largestAlpha, alpha);
      const a = f32x4.div(flooredEpsilon(v128.load(layer.epsilon + k)), pool);
      const b = f32x4.mul(alpha, v128.load(layer.power + row + k));
      const slope = f32x4.sub(one, f32x4.mul(f32x4.mul(a, b), v128.load(layer.diagonal + k)));
      const positive = i32x4.bitmask(f32x4.gt(slope, f32x4.splat(0)));
      if (positive != 15 && failed < 0) failed = <i32>(k >> 2) + ctz(~positive);
      factors = f64x2.mul(factors, f64x2.mul(lowPair(slope), highPair(slope)));
      const scaled = f32x4.div(a, slope);
      v128.store(layer.rowScales + row + k, scaled);
      v128.store(layer.columnScales + row + k, b);
      v128.store(layer.cycles + row + k, f32x4.mul(scaled, b));
    }
    sum = f64x2.add(sum, logOfTwo(factors));
  }
  const length = largestLane(largestAlpha) * sqrt<f32>(sumLanes(squares));
  store<f64>(layer.poolLengths + (sample << 3), <f64>length);
  finishLogDeterminant(layer, sample, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1), failed);
  return failed < 0;
}

/** Takes a sample out of all products over the chunk. */
function silence(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  memory.fill(layer.rowScales + row, 0, layer.stride);
  memory.fill(layer.columnScales + row, 0, layer.stride);
  memory.fill(layer.cycles + row, 0, layer.stride);
}

/** 32 random bits for a counter: a bijection whose output bits all depend on all input bits. */
@inline
function mixed(counter: u32): u32 {
  let h = counter;
  h = (h ^ (h >> 16)) * 0x21f0aaad;
  h = (h ^ (h >> 15)) * 0x735a2d97;
  return h ^ (h >> 15);
}

/** v for the whole chunk, 32 signs from each draw, and v/‖v‖ as the first vector of the basis. */
function drawSigns(layer: Layer, seed: u32): void {
  const words = (layer.n + 31) >> 5;
  const one = i32x4.splat(0x3f800000);
  const unit = f32x4.splat(<f32>(1 / Math.sqrt(<f64>layer.components)));
  for (let s: usize = 0; s < layer.paddedCount; s++) {
    const row = s * layer.stride;
    const first = basisRow(layer, 0, s);
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      const draw = mixed(seed + <u32>(s * words + (k >> 7)) * 0x9e3779b9);
      const bits = draw >> (<u32>(k >> 2) & 31);
      const signs = i32x4(<i32>(bits << 31), <i32>((bits >> 1) << 31), <i32>((bits >> 2) << 31), <i32>((bits >> 3) << 31));
      const v = v128.or(signs, one);
      v128.store(layer.signs + row + k, v);
      v128.store(first + k, f32x4.mul(v, unit));
    }
    // Padding has no sign.
    for (let i = layer.components; i < layer.n; i++) {
      store<f32>(layer.signs + row + (i << 2), 0);
      store<f32>(first + (i << 2), 0);
    }
  }
}

/**
 * (γ (b∘v))_i for the whole chunk, into poolGradient. In Float32, like S c: a component of b that
 * is far larger than the others would round them to 0 in 16 bits.
 */
function poolSigns(layer: Layer): void {
  const stride = layer.stride;
  for (let s: usize = 0; s < layer.paddedCount; s++) {
    const row = s * stride;
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      const b = v128.load(layer.columnScales + row + k);
      v128.store(layer.pulled + row + k, f32x4.mul(b, v128.load(layer.signs + row + k)));
    }
  }
  stripProduct(
    layer.poolGradient, stride, layer.pulled, stride, layer.poolStrips,
    layer.paddedCount, layer.n, layer.n, layer.transposed,
  );
}

/** Products until the residuals of the chunk are below the tolerance, or there are too many. */
function solve(layer: Layer, tolerance: f64): usize {
  const limit = tolerance * tolerance * <f64>layer.count;
  let size: usize = 0, isDone = false;
  while (!isDone) {
    growBasis(layer, size++);
    if (size < FIRST_LOOK) continue;
    const isLast = size == MOST_PRODUCTS;
    let rest: f64 = 0;
    // The first samples usually show that the leaf needs another product.
    for (let s: usize = 0; s < layer.count && (isLast || rest <= limit); s++) {
      const residual = solveSmall(layer, s, size);
      rest += residual * residual;
    }
    isDone = isLast || rest <= limit;
  }
  return size;
}

/**
 * Finishes one sample. Expects S c in zGradient and γ (b∘v) in poolGradient. Writes r to
 * zGradient and rowSums, adds c_i (1 + ρ_i) to ownSums, and writes a'∘w and b∘v to `series` and
 * `signs`.
 */
function finishSample(layer: Layer, sample: usize, size: usize): void {
  const row = sample * layer.stride;
  const one = f32x4.splat(1);
  let traceOfSquare = f32x4.splat(0);
  combine(layer, sample, size);
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const address = row + k;
    const c = v128.load(layer.cycles + address), v = v128.load(layer.signs + address);
    const squared = f32x4.mul(c, v128.load(layer.zGradient + address));
    traceOfSquare = f32x4.add(traceOfSquare, squared);
    const scaledSigns = f32x4.mul(v, v128.load(layer.columnScales + address));
    const scaledSum = f32x4.mul(v128.load(layer.series + address), v128.load(layer.rowScales + address));
    const gamma = v128.load(layer.diagonal + k);
    const others = multiplySubtract(gamma, scaledSigns, v128.load(layer.poolGradient + address));
    const rho = multiplyAdd(scaledSum, others, squared);
    const own = f32x4.mul(c, f32x4.add(one, rho));
    // (m + ρ)/(1 − m) = ρ + c γ_ii (1 + ρ), since m/(1 − m) = c γ_ii
    const r = multiplyAdd(gamma, own, rho);
    v128.store(layer.rowSums + k, r);
    v128.store(layer.zGradient + address, r);
    v128.store(layer.ownSums + k, f32x4.add(own, v128.load(layer.ownSums + k)));
    v128.store(layer.series + address, scaledSum);
    v128.store(layer.signs + address, scaledSigns);
  }
  addToLogDeterminant(layer, sample, -0.5 * <f64>sumLanes(traceOfSquare));
}

/** The part of ∂L/∂γ that comes from log det(I − M), transposed. */
function gradientOfWeights(layer: Layer): void {
  const n = layer.n, stride = layer.stride;
  sumProducts(layer, layer.gammaSum, layer.signs, layer.series, false, true);
  addPairs(layer);
  for (let j: usize = 0; j < n; j++) {
    const own = load<f32>(layer.ownSums + (j << 2));
    store<f32>(layer.gammaSum + j * stride + (j << 2), own);
  }
}

/**
 * Adds γ∘Q with Q_ij = Σ c_i c_j over the chunk. Q is symmetric: eight columns of its upper half
 * at a time, and their mirror image, which both stay in the cache.
 */
function addPairs(layer: Layer): void {
  const n = layer.n, stride = layer.stride;
  const columns = layer.matrix, mirrored = layer.matrix + n * 32;
  packSquares(layer.transposed, layer.cycles, stride, layer.count, n, layer.rowScale);
  for (let j: usize = 0; j < n; j += 8) {
    squareColumns(columns, layer.transposed, j, j + 8, layer.count, layer.rowScale);
    addScaled(layer, j << 2, columns, 32, j + 8, 32);
    transpose(mirrored, n << 2, columns, 32, j, 8);
    addScaled(layer, j * stride, mirrored, n << 2, 8, j << 2);
  }
}

/** gammaSum += γ∘q for `rows` rows of `bytes` bytes, which begin at `first` in γ and its sum. */
function addScaled(layer: Layer, first: usize, q: usize, rowOfQ: usize, rows: usize, bytes: usize): void {
  for (let i: usize = 0; i < rows; i++) {
    const row = first + i * layer.stride;
    for (let k: usize = 0; k < bytes; k += 16) {
      const sum = v128.load(layer.gammaSum + row + k);
      const scaled = multiplyAdd(v128.load(layer.gamma + row + k), v128.load(q + i * rowOfQ + k), sum);
      v128.store(layer.gammaSum + row + k, scaled);
    }
  }
}

/** Whether the iteration of a sample converged, without large roundings. */
function isTrusted(layer: Layer, sample: usize, size: usize): bool {
  if (!(load<f64>(layer.residual + (sample << 3)) <= LARGEST_RESIDUAL)) return false;
  return roundingError(layer, sample, size) <= LARGEST_ROUNDING;
}

/** All gradients of a chunk; overwrites the sums of ∂L/∂H and ∂L/∂γ, adds to the others. */
export function backpropagateProbes(layer: Layer, seed: u32, tolerance: f64): void {
  const stride = layer.stride;
  project(layer);
  raise(layer);
  pool(layer);
  for (let s: usize = 0; s < layer.count; s++) {
    if (normalize(layer, s) && scaleSample(layer, s)) continue;
    silence(layer, s);
    skipSample(layer, s);
  }
  for (let s = layer.count; s < layer.paddedCount; s++) silence(layer, s);
  stripProduct(
    layer.zGradient, stride, layer.cycles, stride, layer.couplingStrips,
    layer.paddedCount, layer.n, layer.n, layer.transposed,
  );
  drawSigns(layer, seed);
  poolSigns(layer);
  const size = solve(layer, tolerance);
  memory.fill(layer.ownSums, 0, stride);
  for (let s: usize = 0; s < layer.count; s++) {
    store<i32>(layer.iterations + (s << 2), <i32>size);
    const isSound = load<i32>(layer.failedPivot + (s << 2)) < 0;
    if (isSound && isTrusted(layer, s, size)) {
      finishSample(layer, s, size);
      gradientOfPool(layer, s);
      continue;
    }
    if (isSound) store<i32>(layer.failedPivot + (s << 2), UNCONVERGED);
    const row = s * stride;
    memory.fill(layer.cycles + row, 0, stride);
    memory.fill(layer.signs + row, 0, stride);
    memory.fill(layer.series + row, 0, stride);
  }
  if (layer.wantsSums) gradientOfWeights(layer);
  finishColumn(layer, !invertUnconverged(layer));
}

/** Computes samples exactly after all; returns whether there are any. */
function invertUnconverged(layer: Layer): bool {
  let hasAny = false;
  for (let s: usize = 0; s < layer.count; s++) {
    if (load<i32>(layer.failedPivot + (s << 2)) != UNCONVERGED) continue;
    hasAny = true;
    // An inverse takes the time of so many products, and leaves no residual.
    store<i32>(layer.iterations + (s << 2), <i32>layer.components);
    store<f64>(layer.residual + (s << 3), 0);
    differentiateSample(layer, s);
  }
  return hasAny;
}
