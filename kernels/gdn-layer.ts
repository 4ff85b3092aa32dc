/**
 * State of one normalization layer during a pass over a chunk of samples, and the steps that its
 * forms share. Formulas: docs/how-it-works.md; paper eq. (5):
 *
 *   z = H x,   D_i = β_i + Σ_j γ_ij |z_j|^α_ij,   y_i = z_i / D_i^ε_i
 */
import { coarseOuterProduct } from "./coarse-outer";
import { highPair, inlineExpOfTwo, inlineLogOfTwo, lowPair, roundPairs } from "./elementary";
import { outerProduct, product, stripProduct } from "./products";
import { magnitude, multiplyAdd, sign } from "./simd";

/**
 * Sizes and addresses, written by TypeScript (src/kernels/wasm/gdn-memory.ts) in this order.
 * Matrices and batches are row-major with `stride` bytes per row; n is padded to a multiple of 8,
 * the batch to a multiple of 4. Padded components have α = β = 1, γ = ε = 0 and z = 0 and change
 * nothing.
 */
@unmanaged
export class Layer {
  n: usize;
  stride: usize;
  /** Samples in this chunk, and the same rounded up to a multiple of 4. */
  count: usize;
  paddedCount: usize;
  /** Components without the padding. */
  components: usize;
  /** 1 to compute the gradient sums, 0 for ∂L/∂x only. */
  wantsSums: usize;
  /** 1 if the sum of ∂L/∂α may have any value. */
  fixedAlpha: usize;
  /**
   * Low-rank form (gdn-low-rank.ts): R padded to a multiple of 8; bytes per row of R and R² values.
   */
  rank: usize;
  rankStride: usize;
  pairStride: usize;

  /** H, and its transpose in strips (products.ts); 0 if z = x. */
  linear: usize;
  linearStrips: usize;
  /**
   * α: a matrix in the general form, else n values. γ: n values in the diagonal and low-rank (g)
   * forms.
   */
  alpha: usize;
  alphaTransposed: usize;
  gamma: usize;
  gammaTransposed: usize;
  /** Column form: γᵀ and γ in strips (products.ts), for u γᵀ and ∂L/∂D γ. */
  poolStrips: usize;
  pullStrips: usize;
  beta: usize;
  epsilon: usize;

  /** Low-rank form: Uᵀ and Vᵀ in rows of n, U and V, and γ_ii. */
  leftRows: usize;
  rightRows: usize;
  left: usize;
  right: usize;
  diagonal: usize;
  /** V_is U_it in strips of eight components, and in strips of eight pairs (s, t). */
  ownStrips: usize;
  pairStrips: usize;

  /**
   * Probe gradients: γ without its diagonal, in 16 bits with a unit for each column, and γ∘γᵀ
   * without it, both in strips.
   */
  units: usize;
  otherStrips: usize;
  couplingStrips: usize;

  /** Batches. */
  x: usize;
  z: usize;
  /** log |z|, |z|^α, D, log D, D^−ε */
  logMagnitude: usize;
  power: usize;
  pool: usize;
  logPool: usize;
  gain: usize;
  y: usize;
  /** g = ∂L/∂y; the address of y if L is the negative log-probability. */
  upstream: usize;
  /** ∂L/∂D, γᵀ ∂L/∂D, ∂L/∂z, ∂L/∂x (0: not computed) */
  poolGradient: usize;
  pulled: usize;
  zGradient: usize;
  xGradient: usize;
  /** Low-rank form: w, Vᵀu and Uᵀ ∂L/∂D (rows of R), and K, then K⁻ᵀ (rows of R²). */
  shares: usize;
  columnPools: usize;
  columnGradients: usize;
  inner: usize;
  /** Probe gradients (gdn-column-probes.ts): a', b, c, v, w, and the basis of krylov-sums.ts. */
  rowScales: usize;
  columnScales: usize;
  cycles: usize;
  signs: usize;
  series: usize;
  basis: usize;
  /**
   * Small matrices of krylov-sums.ts, one per sample; units of the rounded rows of each product;
   * and α_max ‖D − β‖ of each sample, in Float64.
   */
  hessenberg: usize;
  levels: usize;
  poolLengths: usize;
  /** Σ over samples of c_i (1 + ρ_i). */
  ownSums: usize;
  /** One Float64 per sample: log |det ∂y/∂z| and ½‖y‖². */
  logDeterminant: usize;
  energy: usize;
  /** One Int32 per sample: index of its first non-positive pivot, or −1. */
  failedPivot: usize;

  /**
   * Scratch: an n×n matrix, the workspace of its inverse, rows of n, a transposed batch, n×n
   * powers.
   */
  matrix: usize;
  workspace: usize;
  rowScale: usize;
  columnScale: usize;
  rowSums: usize;
  transposed: usize;
  powers: usize;
  powersTransposed: usize;

  /** Scratch of gdn-synthesis.ts, Float64 rows of n: log |y|, log |z|, and a trial log |z|. */
  target: usize;
  logarithm: usize;
  trial: usize;
  /** Rows of n: ε with 0 where y_i = 0, the defects of both iterates, Newton's step. */
  exponent: usize;
  defect: usize;
  trialDefect: usize;
  step: usize;
  /**
   * γ (W in the general form) in the format of coarse-matrix.ts, and the workspace of krylov.ts.
   */
  coarse: usize;
  directions: usize;
  /** diag(w) V of the low-rank form. */
  scaled: usize;
  /** One Int32 and one Float64 per sample: number of iterations and final residual. */
  iterations: usize;
  residual: usize;

  /** Gradient sums over the chunk; matrices α and γ are transposed. */
  linearSum: usize;
  alphaSum: usize;
  betaSum: usize;
  gammaSum: usize;
  epsilonSum: usize;
}

/** A smaller |z| counts as 0; logarithms and reciprocals use this value and stay finite. */
const MAGNITUDE_FLOOR: f32 = 1e-37;
/** Replaces log 0: all powers underflow to 0. */
export const LOG_OF_ZERO: f64 = -1000;
/**
 * Smallest ε in M = ε_i α_ij γ_ij u_ij / D_i. It is below the rounding error of I − M, and keeps
 * the digits of r_i/ε_i, the gradient of ε_i, at ε_i = 0.
 */
const EPSILON_FLOOR: f32 = 1e-9;

@inline
export function magnitudeOf(z: v128): v128 {
  return magnitude(z, f32x4.splat(MAGNITUDE_FLOOR));
}

/** 1/z; 0 at z = 0, where |z|^α/z is replaced by its mean from both sides. */
@inline
export function reciprocalOf(z: v128): v128 {
  return f32x4.div(sign(z), magnitudeOf(z));
}

@inline
export function flooredEpsilon(epsilon: v128): v128 {
  return f32x4.max(epsilon, f32x4.splat(EPSILON_FLOOR));
}

/** Selects the logarithm of each magnitude, or LOG_OF_ZERO where z counts as 0. */
@inline
export function logOrZero(pair: v128, logarithm: v128): v128 {
  return v128.bitselect(
    logarithm, f64x2.splat(LOG_OF_ZERO), f64x2.gt(pair, f64x2.splat(<f64>MAGNITUDE_FLOOR)),
  );
}

/** z = H x for the whole chunk. */
export function project(layer: Layer): void {
  if (!layer.linear) return;
  stripProduct(
    layer.z, layer.stride, layer.x, layer.stride, layer.linearStrips,
    layer.paddedCount, layer.n, layer.n, layer.transposed,
  );
}

/** log |z_j| and |z_j|^α_j for the whole chunk. */
export function raise(layer: Layer): void {
  const rowBytes = layer.n << 2;
  for (let s: usize = 0; s < layer.paddedCount; s++) {
    const row = s * layer.stride;
    for (let k: usize = 0; k < rowBytes; k += 16) {
      const size = magnitudeOf(v128.load(layer.z + row + k));
      const alpha = v128.load(layer.alpha + k);
      // Radial layers need squares, and log |z| only for ∂L/∂α. Full pools keep powArray's bits.
      if (layer.fixedAlpha && layer.rank && v128.all_true<i32>(f32x4.eq(alpha, f32x4.splat(2)))) {
        v128.store(layer.logMagnitude + row + k, f32x4.splat(0));
        v128.store(layer.power + row + k, f32x4.mul(size, size));
        continue;
      }
      const lowSize = lowPair(size), highSize = highPair(size);
      const low = inlineLogOfTwo(lowSize), high = inlineLogOfTwo(highSize);
      v128.store(layer.logMagnitude + row + k, roundPairs(low, high));
      v128.store(layer.power + row + k, roundPairs(
        inlineExpOfTwo(f64x2.mul(logOrZero(lowSize, low), lowPair(alpha))),
        inlineExpOfTwo(f64x2.mul(logOrZero(highSize, high), highPair(alpha))),
      ));
    }
  }
}

/**
 * Computes log D, D^−ε and y of one sample; sets its log-determinant to −Σ ε_i log D_i. Returns
 * false if a pool or an output overflows in Float32.
 */
export function normalize(layer: Layer, sample: usize): bool {
  const row = sample * layer.stride;
  const rowBytes = layer.n << 2;
  let logSum = f64x2.splat(0);
  let energy = f64x2.splat(0);
  let largestPool = f32x4.splat(0);
  let pool = f32x4.splat(0), epsilon = pool, logPool = pool, exponents = pool, gain = pool;
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const nextPool = v128.load(layer.pool + row + k), nextEpsilon = v128.load(layer.epsilon + k);
    // Tied components have the same pool: the logarithm and the power of one serve them all.
    if (k == 0 || !v128.all_true<i32>(v128.and(f32x4.eq(pool, nextPool), f32x4.eq(epsilon, nextEpsilon)))) {
      pool = nextPool;
      epsilon = nextEpsilon;
      largestPool = f32x4.max(largestPool, pool);
      const low = inlineLogOfTwo(lowPair(pool)), high = inlineLogOfTwo(highPair(pool));
      const lowExponent = f64x2.mul(low, lowPair(epsilon)), highExponent = f64x2.mul(high, highPair(epsilon));
      logPool = roundPairs(low, high);
      exponents = f64x2.add(lowExponent, highExponent);
      gain = roundPairs(inlineExpOfTwo(f64x2.neg(lowExponent)), inlineExpOfTwo(f64x2.neg(highExponent)));
    }
    logSum = f64x2.add(logSum, exponents);
    const y = f32x4.mul(v128.load(layer.z + row + k), gain);
    const lowY = lowPair(y), highY = highPair(y);
    energy = f64x2.add(energy, f64x2.add(f64x2.mul(lowY, lowY), f64x2.mul(highY, highY)));
    v128.store(layer.logPool + row + k, logPool);
    v128.store(layer.gain + row + k, gain);
    v128.store(layer.y + row + k, y);
  }
  const halfNorm = 0.5 * (f64x2.extract_lane(energy, 0) + f64x2.extract_lane(energy, 1));
  store<f64>(layer.logDeterminant + (sample << 3), -(f64x2.extract_lane(logSum, 0) + f64x2.extract_lane(logSum, 1)));
  store<f64>(layer.energy + (sample << 3), halfNorm);
  const finitePools = v128.all_true<i32>(f32x4.lt(largestPool, f32x4.splat(Infinity)));
  if (finitePools && isFinite(halfNorm)) return true;
  finishLogDeterminant(layer, sample, NaN, firstUnusable(layer, row));
  return false;
}

/** Returns the first component whose pool or output is not finite. */
function firstUnusable(layer: Layer, row: usize): i32 {
  let i: usize = 0;
  while (i < layer.n) {
    if (!isFinite(load<f32>(layer.pool + row + (i << 2))) || !isFinite(load<f32>(layer.y + row + (i << 2)))) break;
    i++;
  }
  return <i32>i;
}

/**
 * Components whose slopes 1 − m_i are multiplied before the logarithm, half of them in each lane: a
 * slope is at least 2⁻²⁴, so 32 factors are far from the end of Float64.
 */
@inline
export const FACTORS: usize = 64;

/** Adds log det(I − M) to a sample's log-determinant and stores its failed pivot, or −1. */
@inline
export function finishLogDeterminant(layer: Layer, sample: usize, value: f64, failedPivot: i32): void {
  addToLogDeterminant(layer, sample, value);
  store<i32>(layer.failedPivot + (sample << 2), failedPivot);
}

@inline
export function addToLogDeterminant(layer: Layer, sample: usize, value: f64): void {
  const address = layer.logDeterminant + (sample << 3);
  store<f64>(address, load<f64>(address) + value);
}

/**
 * Computes from r (in rowSums) of one sample: ∂L/∂D_i = (ε_i (1 − g_i y_i) − r_i) / D_i = ∂L/∂β_i,
 * and ∂L/∂ε_i = (1 − g_i y_i) log D_i + r_i / ε_i.
 */
export function gradientOfPool(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  const rowBytes = layer.n << 2;
  const one = f32x4.splat(1);
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const epsilon = v128.load(layer.epsilon + k);
    const r = v128.load(layer.rowSums + k);
    const surplus = f32x4.sub(one, f32x4.mul(v128.load(layer.upstream + row + k), v128.load(layer.y + row + k)));
    const gradient = f32x4.div(f32x4.sub(f32x4.mul(epsilon, surplus), r), v128.load(layer.pool + row + k));
    v128.store(layer.poolGradient + row + k, gradient);
    v128.store(layer.betaSum + k, f32x4.add(v128.load(layer.betaSum + k), gradient));
    const epsilonGradient = multiplyAdd(
      surplus, v128.load(layer.logPool + row + k), f32x4.div(r, flooredEpsilon(epsilon)),
    );
    v128.store(layer.epsilonSum + k, f32x4.add(v128.load(layer.epsilonSum + k), epsilonGradient));
  }
}

/**
 * Excludes a failed sample from all sums. Its values are cleared, too, because 0·∞ in the sums over
 * the chunk would be NaN.
 */
export function skipSample(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  memory.fill(layer.poolGradient + row, 0, layer.stride);
  memory.fill(layer.zGradient + row, 0, layer.stride);
  memory.fill(layer.x + row, 0, layer.stride);
  if (layer.power) memory.fill(layer.power + row, 0, layer.stride);
}

/** sum (+)= Σ a bᵀ over the chunk, of values in Float32 or rounded to 16 bits. */
export function sumProducts(layer: Layer, sum: usize, a: usize, b: usize, accumulate: bool, isRounded: bool): void {
  const n = layer.n, stride = layer.stride;
  if (isRounded) {
    coarseOuterProduct(
      sum, a, b, stride, layer.count, n, layer.transposed, layer.rowScale, layer.columnScale, accumulate,
    );
  } else outerProduct(sum, stride, a, stride, b, stride, layer.count, n, n, accumulate);
}

/**
 * Overwrites ∂L/∂H = Σ ∂L/∂z xᵀ, of rounded values if allowed, and computes ∂L/∂x = Hᵀ ∂L/∂z, each
 * if requested.
 */
export function backproject(layer: Layer, isRounded: bool = false): void {
  if (!layer.linear) return;
  if (layer.wantsSums) sumProducts(layer, layer.linearSum, layer.zGradient, layer.x, false, isRounded);
  if (layer.xGradient) {
    product(
      layer.xGradient, layer.stride, layer.zGradient, layer.stride, layer.linear, layer.stride,
      layer.paddedCount, layer.n, layer.n, layer.transposed,
    );
  }
}
