/** What the inversion of the normalization does by the form of the layer: the pools, and a step of Newton's method. */
import { coarsen } from "./coarse-matrix";
import { expOfTwo, highPair, lowPair, roundPairs } from "./elementary";
import { poolPowers } from "./gdn-general";
import { Layer } from "./gdn-layer";
import { solveNearly } from "./krylov";
import { fourProducts } from "./products";
import { multiplyAdd } from "./simd";

/** The order of `gdnForms` in src/kernels/wasm/gdn-inverse.ts. */
@inline
export const GENERAL: i32 = 0;
@inline
export const COLUMN: i32 = 1;
@inline
export const DIAGONAL: i32 = 2;

/** The residual of a Newton step's equation, as a part of |F|: below the first it is rounding of the coarse matrix. */
const FINEST_FORCING: f64 = 0.003;
const COARSEST_FORCING: f64 = 0.1;

/** The largest α_j t_j whose power, and a sum of such powers, is within the range of Float32. */
const LARGEST_EXPONENT: f64 = 80;

/**
 * u_j = e^(α_j t_j − c) into the first row of the powers; returns c, which is 0 unless a power would leave the range of Float32.
 * D e^−c then stands for D: ratios, and so M, are the same.
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
 * D(e^t) e^−c into the first row of the pools, u into that of the powers, or u_ij into the matrix of them; returns c, 0 in the
 * general form.
 */
export function pool(layer: Layer, form: i32, t: usize): f64 {
  if (form == GENERAL) {
    poolPowers(layer, t, layer.pool);
    return 0;
  }
  const excess = raise(layer, t);
  const rowBytes = layer.n << 2;
  const scale = f32x4.splat(excess > 0 ? <f32>f64x2.extract_lane(expOfTwo(f64x2.splat(-excess)), 0) : 1);
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

/** W_ij = α_ij γ_ij u_ij into the scratch matrix. */
function weigh(layer: Layer): void {
  for (let k: usize = 0; k < layer.n * layer.stride; k += 16) {
    const weight = f32x4.mul(v128.load(layer.alpha + k), v128.load(layer.gamma + k));
    v128.store(layer.matrix + k, f32x4.mul(weight, v128.load(layer.powers + k)));
  }
}

/**
 * (I − M)⁻¹ F into `step`, at the t that was evaluated last. M = diag(a) γ diag(b) with a_i = ε_i/D_i and b_j = α_j u_j;
 * in the general form diag(a) W. The solution is as exact as it pays: the error of a Newton step is of the order of
 * |F|², and nothing is wanted far below the tolerance. `fine`: with products in Float32, for a sample in which a few large
 * components leave nothing of the others in 16 bits.
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
