/** Parts of the inversion that depend on the form of the layer: the pools, and Newton's step. */
import { coarsen } from "./coarse-matrix";
import { expOfTwo, highPair, lowPair, roundPairs } from "./elementary";
import { poolPowers } from "./gdn-general";
import { Layer } from "./gdn-layer";
import { subtractFromIdentity } from "./gdn-low-rank";
import { getFailedPivot, invert } from "./inverse";
import { solveNearly } from "./krylov";
import { fourProducts, outerProduct } from "./products";
import { multiplyAdd } from "./simd";

/** Order of `gdnForms` in src/kernels/wasm/gdn-inverse.ts. */
@inline
export const GENERAL: i32 = 0;
@inline
export const COLUMN: i32 = 1;
@inline
export const DIAGONAL: i32 = 2;
@inline
export const LOW_RANK: i32 = 3;

/**
 * Bounds for the residual of a Newton step's equation, relative to |F|. A residual below the first
 * is rounding error of the coarse matrix.
 */
const FINEST_FORCING: f64 = 0.003;
const COARSEST_FORCING: f64 = 0.1;

/** Largest α_j t_j for which powers, and sums of powers, do not overflow in Float32. */
const LARGEST_EXPONENT: f64 = 80;

/**
 * Writes u_j = e^(α_j t_j − c) to the first row of the powers; returns c, which is 0 unless a power
 * would overflow in Float32. D e^−c then replaces D: ratios, and so M, are the same.
 */
function raise(layer: Layer, t: usize): f64 {
  let largest = f64x2.splat(LARGEST_EXPONENT);
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const alpha = v128.load(layer.alpha + k);
    largest = f64x2.max(largest, f64x2.mul(v128.load(t + (k << 1)), lowPair(alpha)));
    largest = f64x2.max(largest, f64x2.mul(v128.load(t + (k << 1), 16), highPair(alpha)));
  }
  const excess = max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1)) - LARGEST_EXPONENT;
  const c = f64x2.splat(excess);
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const alpha = v128.load(layer.alpha + k);
    const low = f64x2.mul(v128.load(t + (k << 1)), lowPair(alpha));
    const high = f64x2.mul(v128.load(t + (k << 1), 16), highPair(alpha));
    v128.store(layer.power + k, roundPairs(expOfTwo(f64x2.sub(low, c)), expOfTwo(f64x2.sub(high, c))));
  }
  return excess;
}

/**
 * Writes D(e^t) e^−c to the first row of the pools, and u to the first row (u_ij to the matrix) of
 * the powers; returns c, which is 0 in the general form.
 */
export function pool(layer: Layer, form: i32, t: usize): f64 {
  if (form == GENERAL) {
    poolPowers(layer, t, layer.pool);
    return 0;
  }
  const excess = raise(layer, t);
  const rowBytes = layer.n << 2;
  const scale = f32x4.splat(excess > 0 ? <f32>f64x2.extract_lane(expOfTwo(f64x2.splat(-excess)), 0) : 1);
  if (form == LOW_RANK) {
    poolLowRank(layer, scale);
    return excess;
  }
  let gamma = layer.gamma;
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const beta = f32x4.mul(v128.load(layer.beta + k), scale);
    if (form == DIAGONAL) {
      v128.store(layer.pool + k, multiplyAdd(v128.load(gamma + k), v128.load(layer.power + k), beta));
    } else {
      v128.store(layer.pool + k, f32x4.add(beta, fourProducts(gamma, layer.stride, layer.power, layer.power + rowBytes)));
      gamma += layer.stride << 2;
    }
  }
  return excess;
}

/** D = scale·β + g∘u + U (Vᵀu), in the first rows. */
function poolLowRank(layer: Layer, scale: v128): void {
  const stride = layer.stride, rowBytes = layer.n << 2;
  for (let r: usize = 0; r < layer.rank; r += 4) {
    const sums = fourProducts(layer.rightRows + r * stride, stride, layer.power, layer.power + rowBytes);
    v128.store(layer.columnPools + (r << 2), sums);
  }
  for (let k: usize = 0; k < rowBytes; k += 16) {
    let sum = f32x4.mul(v128.load(layer.beta + k), scale);
    sum = multiplyAdd(v128.load(layer.gamma + k), v128.load(layer.power + k), sum);
    v128.store(layer.pool + k, addFactors(sum, layer.leftRows + k, layer.columnPools, layer));
  }
}

/** Returns sum + Σ_r F_r c_r for four components; the rows of F are layer.stride bytes apart. */
@inline
function addFactors(sum: v128, factors: usize, c: usize, layer: Layer): v128 {
  let s0 = sum, s1 = f32x4.splat(0);
  for (const end = c + (layer.rank << 2); c < end; c += 8) {
    s0 = multiplyAdd(v128.load(factors), v128.load_splat<f32>(c), s0);
    factors += layer.stride;
    s1 = multiplyAdd(v128.load(factors), v128.load_splat<f32>(c, 4), s1);
    factors += layer.stride;
  }
  return f32x4.add(s0, s1);
}

/**
 * Computes (I − M)⁻¹ F = (F + A K⁻¹ Bᵀ E⁻¹ F) / E exactly if E and K are invertible; otherwise
 * takes F, a fixed-point step. a and b as in newtonStep.
 */
function lowRankStep(layer: Layer, defect: usize, a: usize, b: usize): void {
  const rank = layer.rank, stride = layer.stride, rowBytes = layer.n << 2;
  const K = layer.matrix, c = layer.columnPools, step = layer.step;
  const one = f32x4.splat(1), zero = f32x4.splat(0);
  let isSound = i32x4.splat(-1);
  // Writes 1/E to rowSums, w to the first row of the shares, b F / E to the step.
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const ab = f32x4.mul(v128.load(a + k), v128.load(b + k));
    const slope = f32x4.sub(one, f32x4.mul(ab, v128.load(layer.gamma + k)));
    isSound = v128.and(isSound, f32x4.gt(slope, zero));
    const reciprocal = f32x4.div(one, slope);
    const share = f32x4.mul(ab, reciprocal);
    v128.store(layer.rowSums + k, reciprocal);
    v128.store(layer.shares + k, share);
    v128.store(step + k, f32x4.mul(f32x4.mul(v128.load(b + k), v128.load(defect + k)), reciprocal));
  }
  if (v128.all_true<i32>(isSound)) {
    scaleRows(layer.scaled, layer.right, layer.rankStride, layer.shares, layer.n, rank);
    outerProduct(K, rank << 2, layer.scaled, layer.rankStride, layer.left, layer.rankStride, layer.n, rank, rank, false);
    subtractFromIdentity(K, rank);
    invert(K, rank << 2, rank, layer.workspace);
    if (getFailedPivot() < 0) {
      for (let r: usize = 0; r < rank; r += 4) {
        v128.store(layer.columnGradients + (r << 2), fourProducts(layer.rightRows + r * stride, stride, step, step + rowBytes));
      }
      for (let r: usize = 0; r < rank; r += 4) {
        const row = K + ((r * rank) << 2);
        const end = layer.columnGradients + (rank << 2);
        v128.store(c + (r << 2), fourProducts(row, rank << 2, layer.columnGradients, end));
      }
      for (let k: usize = 0; k < rowBytes; k += 16) {
        const pushed = f32x4.mul(v128.load(a + k), addFactors(zero, layer.leftRows + k, c, layer));
        v128.store(step + k, f32x4.mul(f32x4.add(v128.load(defect + k), pushed), v128.load(layer.rowSums + k)));
      }
      return;
    }
  }
  memory.copy(step, defect, rowBytes);
}

/** target_i = w_i source_i, for n rows of `columns` values. */
function scaleRows(target: usize, source: usize, stride: usize, w: usize, n: usize, columns: usize): void {
  for (let i: usize = 0; i < n; i++) {
    const factor = v128.load_splat<f32>(w + (i << 2));
    for (let k: usize = 0; k < columns << 2; k += 16) {
      v128.store(target + k, f32x4.mul(factor, v128.load(source + k)));
    }
    target += stride;
    source += stride;
  }
}

/** Writes W_ij = α_ij γ_ij u_ij to the scratch matrix. */
function weigh(layer: Layer): void {
  for (let k: usize = 0; k < layer.n * layer.stride; k += 16) {
    const weight = f32x4.mul(v128.load(layer.alpha + k), v128.load(layer.gamma + k));
    v128.store(layer.matrix + k, f32x4.mul(weight, v128.load(layer.powers + k)));
  }
}

/**
 * Writes (I − M)⁻¹ F at the last evaluated t to `step`. M = diag(a) γ diag(b) with a_i = ε_i/D_i
 * and b_j = α_j u_j; in the general form M = diag(a) W. The solution is only as exact as useful: a
 * Newton step has an error of order |F|², and an error far below the tolerance is wasted. `fine`
 * computes the products in Float32, for samples whose small components 16 bits would round to 0.
 */
export function newtonStep(
  layer: Layer, form: i32, defect: usize, residual: f64, tolerance: f64, fine: bool,
): void {
  const a = layer.rowScale, b = layer.columnScale;
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    v128.store(a + k, f32x4.div(v128.load(layer.exponent + k), v128.load(layer.pool + k)));
    if (form == GENERAL) v128.store(b + k, f32x4.splat(1));
    else v128.store(b + k, f32x4.mul(v128.load(layer.alpha + k), v128.load(layer.power + k)));
  }
  if (form == DIAGONAL) {
    for (let k: usize = 0; k < layer.n << 2; k += 16) {
      const m = f32x4.mul(f32x4.mul(v128.load(a + k), v128.load(layer.gamma + k)), v128.load(b + k));
      v128.store(layer.step + k, f32x4.div(v128.load(defect + k), f32x4.sub(f32x4.splat(1), m)));
    }
    return;
  }
  if (form == LOW_RANK) {
    lowRankStep(layer, defect, a, b);
    return;
  }
  let matrix = layer.gamma;
  if (form == GENERAL) {
    weigh(layer);
    matrix = layer.matrix;
    if (!fine) coarsen(layer.coarse, matrix, layer.stride, layer.n);
  }
  const forcing = max<f64>(FINEST_FORCING, min<f64>(COARSEST_FORCING, 0.3 * max<f64>(residual, tolerance / residual)));
  const coarse: usize = fine ? <usize>0 : layer.coarse;
  solveNearly(
    layer.step, defect, <f32>forcing, coarse, matrix, layer.stride, a, b, layer.n, layer.directions,
  );
}
