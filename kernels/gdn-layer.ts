/**
 * The state of one normalization layer during a pass over a chunk of samples, and the stages that
 * its forms share. DESIGN of the formulas: docs/how-it-works.md; paper eq. (5):
 *
 *   z = H x,   D_i = β_i + Σ_j γ_ij |z_j|^α_ij,   y_i = z_i / D_i^ε_i
 */
import { highPair, inlineExpOfTwo, inlineLogOfTwo, lowPair, roundPairs } from "./elementary";
import { outerProduct, product, stripProduct } from "./products";
import { magnitude, multiplyAdd, sign } from "./simd";

/**
 * Sizes and addresses, written by TypeScript (src/kernels/wasm/gdn-memory.ts) in this order.
 * Matrices and batches are row-major with `stride` bytes a row; n is padded to a multiple of 8, the
 * batch to one of 4. Padded components have α = β = 1, γ = ε = 0 and z = 0: they change nothing.
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
  /** Whether anybody wants the gradient sums: 0 where only ∂L/∂x is asked for. */
  wantsSums: usize;
  /**
   * Of pools of low rank (gdn-low-rank.ts): R padded to a multiple of 8; bytes of a row of R and of
   * R² values.
   */
  rank: usize;
  rankStride: usize;
  pairStride: usize;

  /**
   * H, and its transpose in strips (products.ts); 0 where the layer has no linear part, and z is x.
   */
  linear: usize;
  linearStrips: usize;
  /**
   * Matrices in the general form, rows of n otherwise (γ: in the diagonal form, and g of the
   * low-rank form).
   */
  alpha: usize;
  alphaTransposed: usize;
  gamma: usize;
  gammaTransposed: usize;
  beta: usize;
  epsilon: usize;

  /** Pools of low rank: the columns of U and V as rows of n, both as they are, and γ_ii. */
  leftRows: usize;
  rightRows: usize;
  left: usize;
  right: usize;
  diagonal: usize;
  /** V_is U_it in strips: of eight components, and of eight pairs (s, t). */
  ownStrips: usize;
  pairStrips: usize;

  /** Probe gradients: γ without its diagonal, and γ∘γᵀ without it, in strips. */
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
  /** g = ∂L/∂y; the address of y itself where L is the negative log-probability. */
  upstream: usize;
  /** ∂L/∂D, γᵀ ∂L/∂D, ∂L/∂z, ∂L/∂x (0: not asked for) */
  poolGradient: usize;
  pulled: usize;
  zGradient: usize;
  xGradient: usize;
  /**
   * Of pools of low rank: w, rows of R values Vᵀu and Uᵀ ∂L/∂D, and rows of R² values, K and then
   * K⁻ᵀ.
   */
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
  /** Small matrices of krylov-sums.ts, one a sample, and Σ over samples of c_i (1 + ρ_i). */
  hessenberg: usize;
  ownSums: usize;
  /** One Float64 a sample: log |det ∂y/∂z| and ½‖y‖². */
  logDeterminant: usize;
  energy: usize;
  /** One Int32 a sample: index of its first non-positive pivot, or −1. */
  failedPivot: usize;

  /**
   * Scratch: an n×n matrix with its inverse's workspace, rows of n, a transposed batch, n×n powers.
   */
  matrix: usize;
  workspace: usize;
  rowScale: usize;
  columnScale: usize;
  rowSums: usize;
  transposed: usize;
  powers: usize;
  powersTransposed: usize;

  /**
   * Scratch of the inversion (gdn-synthesis.ts). Float64 rows of n: log |y|, log |z|, and a trial
   * of the latter.
   */
  target: usize;
  logarithm: usize;
  trial: usize;
  /**
   * Rows of n: ε without the components that are 0, the defects of both iterates, Newton's step.
   */
  exponent: usize;
  defect: usize;
  trialDefect: usize;
  step: usize;
  /** γ, or in the general form W, as coarse-matrix.ts has it, and the workspace of krylov.ts. */
  coarse: usize;
  directions: usize;
  /** diag(w) V of pools of low rank. */
  scaled: usize;
  /** One Int32 and one Float64 a sample: iterations, and the residual they ended with. */
  iterations: usize;
  residual: usize;

  /** Gradient sums over the chunk; those of matrices α and γ transposed. */
  linearSum: usize;
  alphaSum: usize;
  betaSum: usize;
  gammaSum: usize;
  epsilonSum: usize;
}

/**
 * Below this magnitude z counts as 0, and as this in logarithms and reciprocals, which stay finite.
 */
const MAGNITUDE_FLOOR: f32 = 1e-37;
/** Stands for log 0: any power of it is 0. */
export const LOG_OF_ZERO: f64 = -1000;
/**
 * ε at least this in M = ε_i α_ij γ_ij u_ij / D_i: below the rounding of I − M, and r_i/ε_i, the
 * gradient of ε_i, keeps its digits at ε_i = 0.
 */
const EPSILON_FLOOR: f32 = 1e-9;

@inline
export function magnitudeOf(z: v128): v128 {
  return magnitude(z, f32x4.splat(MAGNITUDE_FLOOR));
}

/** 1/z, and 0 at z = 0, where |z|^α/z is taken as its mean from both sides. */
@inline
export function reciprocalOf(z: v128): v128 {
  return f32x4.div(sign(z), magnitudeOf(z));
}

@inline
export function flooredEpsilon(epsilon: v128): v128 {
  return f32x4.max(epsilon, f32x4.splat(EPSILON_FLOOR));
}

/** log of two of the magnitudes above, and LOG_OF_ZERO where z counts as 0. */
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
 * log D, D^−ε and y of one sample; starts its log-determinant with −Σ ε_i log D_i. Returns whether
 * the sample can be used: not where a pool or an output left the range of Float32.
 */
export function normalize(layer: Layer, sample: usize): bool {
  const row = sample * layer.stride;
  const rowBytes = layer.n << 2;
  let logSum = f64x2.splat(0);
  let energy = f64x2.splat(0);
  let largestPool = f32x4.splat(0);
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const pool = v128.load(layer.pool + row + k);
    const epsilon = v128.load(layer.epsilon + k);
    largestPool = f32x4.max(largestPool, pool);
    const low = inlineLogOfTwo(lowPair(pool)), high = inlineLogOfTwo(highPair(pool));
    const lowExponent = f64x2.mul(low, lowPair(epsilon)), highExponent = f64x2.mul(high, highPair(epsilon));
    logSum = f64x2.add(logSum, f64x2.add(lowExponent, highExponent));
    const gain = roundPairs(inlineExpOfTwo(f64x2.neg(lowExponent)), inlineExpOfTwo(f64x2.neg(highExponent)));
    const y = f32x4.mul(v128.load(layer.z + row + k), gain);
    const lowY = lowPair(y), highY = highPair(y);
    energy = f64x2.add(energy, f64x2.add(f64x2.mul(lowY, lowY), f64x2.mul(highY, highY)));
    v128.store(layer.logPool + row + k, roundPairs(low, high));
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

/** The first component whose pool or output is not finite. */
function firstUnusable(layer: Layer, row: usize): i32 {
  let i: usize = 0;
  while (i < layer.n) {
    if (!isFinite(load<f32>(layer.pool + row + (i << 2))) || !isFinite(load<f32>(layer.y + row + (i << 2)))) break;
    i++;
  }
  return <i32>i;
}

/**
 * Adds log det(I − M) to a sample's log-determinant and notes where the elimination failed, if it
 * did.
 */
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
 * From r (in rowSums) of one sample: ∂L/∂D_i = (ε_i (1 − g_i y_i) − r_i) / D_i, which is ∂L/∂β_i
 * too, and ∂L/∂ε_i = (1 − g_i y_i) log D_i + r_i / ε_i.
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
 * A sample that cannot be used adds nothing to any sum; its caller will reject the step. Its values
 * go too: they may not be finite, and 0·∞ in the sums over the chunk would be NaN.
 */
export function skipSample(layer: Layer, sample: usize): void {
  const row = sample * layer.stride;
  memory.fill(layer.poolGradient + row, 0, layer.stride);
  memory.fill(layer.zGradient + row, 0, layer.stride);
  memory.fill(layer.x + row, 0, layer.stride);
  if (layer.power) memory.fill(layer.power + row, 0, layer.stride);
}

/** ∂L/∂H = Σ ∂L/∂z xᵀ, whatever was there before, and, where asked for, ∂L/∂x = Hᵀ ∂L/∂z. */
export function backproject(layer: Layer): void {
  if (!layer.linear) return;
  if (layer.wantsSums) {
    outerProduct(
      layer.linearSum, layer.stride, layer.zGradient, layer.stride, layer.x, layer.stride,
      layer.count, layer.n, layer.n, false,
    );
  }
  if (layer.xGradient) {
    product(
      layer.xGradient, layer.stride, layer.zGradient, layer.stride, layer.linear, layer.stride,
      layer.paddedCount, layer.n, layer.n, layer.transposed,
    );
  }
}
