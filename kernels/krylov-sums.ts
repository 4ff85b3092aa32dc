/**
 * Sums of powers Σ (Kᵀ)ⁿ v of a nonnegative matrix K, for every sample of a chunk at once
 * (gdn-column-probes.ts), by Arnoldi's iteration: an orthonormal basis q_0 = v/‖v‖, q_1 … of the
 * vectors (Kᵀ)ⁿ v, in which Kᵀ is a small Hessenberg matrix h,
 *
 *   Kᵀ q_k = Σ_{j ≤ k+1} h_jk q_j,   (I − Kᵀ)⁻¹ v ≈ Q y,   (I − h) y = ‖v‖ e_0
 *
 * with the residual ‖v − (I − Kᵀ) Q y‖ = h_m,m−1 |y_m−1| after m products. The powers themselves
 * converge as slowly as the leading eigenvalue of K is close to 1; this does not.
 */
import { coarseProduct, roundProducts } from "./coarse-matrix";
import { Layer, addToLogDeterminant } from "./gdn-layer";
import { addMultiple, dot, scale } from "./krylov";
import { fourProducts } from "./products";
import { multiplyAdd } from "./simd";

/** Products at most: rows and columns of h. */
export const MOST_PRODUCTS: usize = 16;
/** A vector shorter than this is rounding: the basis is complete. */
const SMALLEST_NORM: f32 = 1e-12;
/** Terms of Σ (hⁿ)_00 / n that are added one by one. */
const TRACE_TERMS: usize = 24;

/** h of one sample, column by column, then y. */
@inline
function smallMatrix(layer: Layer, sample: usize): usize {
  return layer.hessenberg + sample * (((MOST_PRODUCTS + 1) * MOST_PRODUCTS + MOST_PRODUCTS) << 3);
}

@inline
function entry(h: usize, j: usize, k: usize): usize {
  return h + ((k * (MOST_PRODUCTS + 1) + j) << 3);
}

@inline
function solution(h: usize): usize {
  return h + (((MOST_PRODUCTS + 1) * MOST_PRODUCTS) << 3);
}

/** q_k of one sample. */
@inline
export function basisRow(layer: Layer, k: usize, sample: usize): usize {
  return layer.basis + (k * layer.paddedCount + sample) * layer.stride;
}

/** Unit to which a'∘q_k of one sample was rounded. */
@inline
function levelOf(layer: Layer, k: usize, sample: usize): usize {
  return layer.levels + ((k * layer.paddedCount + sample) << 2);
}

/** Kᵀ q_k = b∘((a'∘q_k) γ°) of every sample, made orthogonal to the basis: q_k+1. */
export function growBasis(layer: Layer, k: usize): void {
  const stride = layer.stride, rowBytes = layer.n << 2;
  for (let s: usize = 0; s < layer.paddedCount; s++) {
    const row = s * stride;
    const level = roundProducts(layer.pulled + row, layer.rowScales + row, basisRow(layer, k, s), layer.n);
    store<f32>(levelOf(layer, k, s), level);
  }
  const next = basisRow(layer, k + 1, 0);
  coarseProduct(next, layer.pulled, stride, layer.otherStrips, layer.paddedCount, layer.n, layer.transposed);
  for (let s: usize = 0; s < layer.count; s++) {
    const q = next + s * stride, h = smallMatrix(layer, s);
    const level = v128.load_splat<f32>(levelOf(layer, k, s));
    scaleIntegers(q, level, layer.units, layer.columnScales + s * stride, rowBytes);
    makeOrthogonal(q, basisRow(layer, 0, s), next - basisRow(layer, k, 0), k + 1, entry(h, 0, k), rowBytes);
    const norm = <f32>Math.sqrt(<f64>dot(q, q, rowBytes));
    store<f64>(entry(h, k + 1, k), <f64>norm);
    scale(q, norm > SMALLEST_NORM ? 1 / norm : 0, rowBytes);
  }
}

/**
 * Subtracts from q its projections on `count` orthonormal rows, `step` bytes apart, and writes
 * their coefficients to `shares`. Four rows at a time (classical Gram–Schmidt) read q once.
 */
function makeOrthogonal(q: usize, rows: usize, step: usize, count: usize, shares: usize, bytes: usize): void {
  const end = shares + (count << 3);
  for (; shares + 32 <= end; shares += 32) {
    const four = fourProducts(rows, step, q, q + bytes);
    v128.store(shares, f64x2.promote_low_f32x4(four));
    v128.store(shares, f64x2.promote_low_f32x4(v128.shuffle<f32>(four, four, 2, 3, 2, 3)), 16);
    subtractFour(q, four, rows, step, bytes);
    rows += step << 2;
  }
  for (; shares < end; shares += 8) {
    const share = dot(q, rows, bytes);
    addMultiple(q, -share, rows, bytes);
    store<f64>(shares, <f64>share);
    rows += step;
  }
}

/** q −= Σ_i factors_i row_i for four rows */
function subtractFour(q: usize, factors: v128, row: usize, step: usize, bytes: usize): void {
  const row1 = row + step, row2 = row1 + step, row3 = row2 + step;
  const f0 = v128.shuffle<f32>(factors, factors, 0, 0, 0, 0), f1 = v128.shuffle<f32>(factors, factors, 1, 1, 1, 1);
  const f2 = v128.shuffle<f32>(factors, factors, 2, 2, 2, 2), f3 = v128.shuffle<f32>(factors, factors, 3, 3, 3, 3);
  for (let i: usize = 0; i < bytes; i += 16) {
    const low = multiplyAdd(f1, v128.load(row1 + i), f32x4.mul(f0, v128.load(row + i)));
    const high = multiplyAdd(f3, v128.load(row3 + i), f32x4.mul(f2, v128.load(row2 + i)));
    v128.store(q + i, f32x4.sub(v128.load(q + i), f32x4.add(low, high)));
  }
}

/** Replaces the integers of a row by floats: times the level, the units and the factors. */
@inline
function scaleIntegers(row: usize, level: v128, units: usize, factors: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    const value = f32x4.mul(f32x4.convert_i32x4_s(v128.load(row + i)), level);
    v128.store(row + i, f32x4.mul(value, f32x4.mul(v128.load(units + i), v128.load(factors + i))));
  }
}

/** The matrix that is eliminated: one for all samples. */
const system: usize = memory.data(<i32>(MOST_PRODUCTS * (MOST_PRODUCTS + 1) * 8));

@inline
function cell(j: usize, k: usize): usize {
  return system + ((j * (MOST_PRODUCTS + 1) + k) << 3);
}

/**
 * Solves for y of one sample after `size` products, by elimination with pivoting. Returns and
 * stores the residual relative to ‖v‖. It is infinite where det(I − h) is not positive: an
 * eigenvalue of K above 1 means that the sample has no density.
 */
export function solveSmall(layer: Layer, sample: usize, size: usize): f64 {
  const h = smallMatrix(layer, sample), y = solution(h);
  for (let j: usize = 0; j < size; j++) {
    for (let k: usize = 0; k < size; k++) {
      const value = j > k + 1 ? 0 : load<f64>(entry(h, j, k));
      store<f64>(cell(j, k), (j == k ? 1.0 : 0.0) - value);
    }
    store<f64>(cell(j, size), j == 0 ? Math.sqrt(<f64>layer.components) : 0);
  }
  let isNegative = false;
  for (let k: usize = 0; k + 1 < size; k++) {
    if (abs(load<f64>(cell(k + 1, k))) > abs(load<f64>(cell(k, k)))) {
      swapRows(k, size);
      isNegative = !isNegative;
    }
    const factor = load<f64>(cell(k + 1, k)) / load<f64>(cell(k, k));
    for (let i = k; i <= size; i++) {
      store<f64>(cell(k + 1, i), load<f64>(cell(k + 1, i)) - factor * load<f64>(cell(k, i)));
    }
  }
  for (let k: usize = size; k-- > 0; ) {
    let value = load<f64>(cell(k, size));
    for (let i = k + 1; i < size; i++) value -= load<f64>(cell(k, i)) * load<f64>(y + (i << 3));
    const pivot = load<f64>(cell(k, k));
    if (pivot < 0) isNegative = !isNegative;
    store<f64>(y + (k << 3), value / pivot);
  }
  const last = abs(load<f64>(y + ((size - 1) << 3)) * load<f64>(entry(h, size, size - 1)));
  const residual = last / Math.sqrt(<f64>layer.components);
  // NaN where a pivot is 0.
  const isSound = !isNegative && residual < Infinity;
  store<f64>(layer.residual + (sample << 3), isSound ? residual : Infinity);
  return load<f64>(layer.residual + (sample << 3));
}

/**
 * Returns an estimate of the error that the rounding of a'∘q_k causes in the solution of one
 * sample, relative to ‖v‖: errors of level_k/√12 in every component, times
 * Σ_j γ_ij b_j ≤ α_max (D_i − β_i). The residual, which is that of the rounded products, does not
 * show it.
 */
export function roundingError(layer: Layer, sample: usize, size: usize): f64 {
  const y = solution(smallMatrix(layer, sample));
  let squares: f64 = 0;
  for (let k: usize = 0; k < size; k++) {
    const part = load<f64>(y + (k << 3)) * <f64>load<f32>(levelOf(layer, k, sample));
    squares += part * part;
  }
  return load<f64>(layer.poolLengths + (sample << 3)) * Math.sqrt(squares / (12 * <f64>layer.components));
}

function swapRows(k: usize, size: usize): void {
  for (let i = k; i <= size; i++) {
    const value = load<f64>(cell(k, i));
    store<f64>(cell(k, i), load<f64>(cell(k + 1, i)));
    store<f64>(cell(k + 1, i), value);
  }
}

/** Coefficients of w in the basis, and of (Kᵀ)ⁿ v. */
const ofSum: usize = memory.data(<i32>(MOST_PRODUCTS * 8));
const ofPower: usize = memory.data(<i32>(MOST_PRODUCTS * 8));
const ofNextPower: usize = memory.data(<i32>(MOST_PRODUCTS * 8));

/** (Kᵀ)ⁿ v → (Kᵀ)ⁿ⁺¹ v, in the basis. */
function multiplyPower(h: usize, size: usize): void {
  memory.fill(ofNextPower, 0, MOST_PRODUCTS << 3);
  for (let k: usize = 0; k < size; k++) {
    const factor = load<f64>(ofPower + (k << 3));
    for (let j: usize = 0; j <= min(k + 1, size - 1); j++) {
      const target = ofNextPower + (j << 3);
      store<f64>(target, load<f64>(target) + factor * load<f64>(entry(h, j, k)));
    }
  }
  memory.copy(ofPower, ofNextPower, MOST_PRODUCTS << 3);
}

/**
 * Writes w = Σ_{n≥2} (Kᵀ)ⁿ v of one sample to `series`; adds −Σ_{n≥3} vᵀ(Kᵀ)ⁿ v / n to its
 * log-determinant.
 */
export function combine(layer: Layer, sample: usize, size: usize): void {
  const h = smallMatrix(layer, sample), y = solution(h);
  const norm = Math.sqrt(<f64>layer.components);
  memory.fill(ofPower, 0, MOST_PRODUCTS << 3);
  store<f64>(ofPower, norm);
  memory.copy(ofSum, y, size << 3);
  for (let n: usize = 0; n < 2; n++) {
    for (let k: usize = 0; k < size; k++) {
      const target = ofSum + (k << 3);
      store<f64>(target, load<f64>(target) - load<f64>(ofPower + (k << 3)));
    }
    multiplyPower(h, size);
  }
  let trace: f64 = 0, before: f64 = 0, term: f64 = 0;
  for (let n: usize = 3; n < TRACE_TERMS; n++) {
    multiplyPower(h, size);
    before = term;
    term = norm * load<f64>(ofPower);
    trace += term / <f64>n;
  }
  // The rest is nearly a geometric series.
  const ratio = term / before;
  if (ratio > 0 && ratio < 1) trace += (term * ratio) / (1 - ratio) / <f64>(TRACE_TERMS + 1);
  addToLogDeterminant(layer, sample, -trace);
  const sum = layer.series + sample * layer.stride, rowBytes = layer.n << 2;
  memory.fill(sum, 0, rowBytes);
  for (let k: usize = 0; k < size; k++) {
    addMultiple(sum, <f32>load<f64>(ofSum + (k << 3)), basisRow(layer, k, sample), rowBytes);
  }
}
