/**
 * Independent component analysis by symmetric FastICA (Hyvärinen 1999, "Fast and robust fixed-point
 * algorithms for independent component analysis") with the contrast log cosh, g = tanh. For H = W K
 * with K whitening, W orthogonal and y = H x, an iteration is
 *
 *   M = E(g(y) yᵀ) − diag E(g′(y)),  R = (M Mᵀ)^−½ M,  W ← R W
 *
 *   symbol  variable  shape    constraint
 *   x       x         count×N  mean zero
 *   K       K         N×N      K C Kᵀ = I, C = E(x xᵀ)
 *   W, R    W, R      N×N      orthogonal
 *   H       H         N×N      H C Hᵀ = I
 *
 * Deviations: M is the paper's one-unit rule for all rows at once, in the coordinates of y, so that
 * the whitened data are never stored; a row of M with a negative diagonal is negated, because
 * super-Gaussian components would otherwise change sign in every iteration. Picard-O (Ablin,
 * Cardoso & Gramfort 2018) needs fewer iterations if the data are not a mixture of independent
 * sources, but its line searches fail near the end, where the loss changes by less than Float32
 * resolves. Cost per iteration: 2 count·N² multiplications in the kernels, and about 20 N³ outside.
 */
import { expected } from "../errors.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { pause } from "../parallel/in-turns.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { checkFields } from "./checks.js";
import { differenceFromIdentity, nearestOrthogonal, product } from "./nearest-orthogonal.js";
import { arrangeRows, pcaWhitening } from "./whitening.js";

export interface IcaOptions {
  /** Seed of the random rotation that starts the iteration; default 0. */
  readonly seed?: Seed;
  /** Default 200. */
  readonly maximumIterations?: number;
  /**
   * Stops when no entry of R − I (about an angle in radians) is larger than this; default 0.01.
   */
  readonly tolerance?: number;
  /** Cancels between two iterations; the promise is rejected with its reason. */
  readonly signal?: AbortSignal;
  /** Called with the number of iterations so far and the largest entry of R − I. */
  readonly onIteration?: (iterations: number, turn: number) => void;
}

export interface IndependentComponents {
  /**
   * N×N; rows sorted by explained variance, largest first; the largest entry of each is positive.
   */
  readonly H: Float64Array;
  /**
   * False if no direction is less Gaussian than others, or maximumIterations was too small. H
   * whitens in any case.
   */
  readonly converged: boolean;
  readonly iterations: number;
}

const optionNames = ["seed", "maximumIterations", "tolerance", "signal", "onIteration"] as const;
/** Samples per call of the kernels: enough to be efficient, few compared with the data. */
const usualBlockSize = 4096;

/**
 * Returns H such that the components of H x have variance 1 and are as independent as a linear
 * transform can make them. `x` is count×n with mean zero. The same arguments give the same bits on
 * every engine, except with relaxed SIMD.
 */
export async function independentComponents(
  kernels: Kernels,
  x: FloatArray,
  n: number,
  options: IcaOptions = {},
): Promise<IndependentComponents> {
  const { seed, maximumIterations, tolerance, signal, onIteration } = withDefaults(options);
  signal?.throwIfAborted();
  const K = pcaWhitening(x, n);
  // Random, because the principal axes of a symmetric mixture may be a saddle point, which looks
  // like convergence.
  const start = createRandom(seed, "independent components").normalFill(new Float64Array(n * n));
  let W = nearestOrthogonal(start, n) as Float64Array;
  let [iterations, converged] = [0, false];
  while (!converged && iterations < maximumIterations) {
    const M = contrastMoments(kernels, x, n, product(W, K, n));
    requireFinite(M, kernels);
    const R = nearestOrthogonal(withPositiveDiagonal(M, n), n);
    // Some component is exactly Gaussian: no rotation improves it.
    if (!R) break;
    W = product(R, W, n);
    const turn = differenceFromIdentity(R, n);
    iterations++;
    converged = turn <= tolerance;
    onIteration?.(iterations, turn);
    // A page stays responsive, and the signal can fire.
    await pause();
    signal?.throwIfAborted();
  }
  const H = arrangeRows(product(W, K, n), n, explainedVariances(W, K, n));
  return { H, converged, iterations };
}

function withDefaults(options: IcaOptions) {
  checkFields("the options of independentComponents", options, optionNames);
  const { seed = 0, maximumIterations = 200, tolerance = 0.01, signal, onIteration } = options;
  if (!Number.isInteger(maximumIterations) || maximumIterations < 1) {
    throw expected("maximumIterations", "be a positive integer", maximumIterations);
  }
  if (!(tolerance > 0 && tolerance < Infinity)) {
    throw expected("tolerance", "be a positive number", tolerance);
  }
  return { seed, maximumIterations, tolerance, signal, onIteration };
}

/** @internal M = E(g(y) yᵀ) − diag E(g′(y)) for y = H x, g = tanh, g′ = 1 − tanh². */
export function contrastMoments(
  kernels: Kernels,
  x: FloatArray,
  n: number,
  H: Float64Array,
  blockSize = usualBlockSize,
): Float64Array {
  const count = x.length / n;
  const transposedH = H.map((_, k) => H[(k % n) * n + Math.floor(k / n)]);
  const largest = Math.min(blockSize, count) * n;
  const buffers = [kernels.floats(largest), kernels.floats(largest), kernels.floats(largest)];
  const blockSums = kernels.floats(n * n);
  const M = new Float64Array(n * n);
  for (let first = 0; first < count; first += blockSize) {
    const samples = Math.min(blockSize, count - first);
    const block = x.subarray(first * n, (first + samples) * n);
    const [y, twiceY, g] = buffers.map((buffer) => buffer.subarray(0, samples * n));
    kernels.multiply(block, transposedH, y, { rows: samples, inner: n, columns: n });
    for (let k = 0; k < y.length; k++) twiceY[k] = 2 * y[k];
    kernels.exp(twiceY, g);
    for (let k = 0; k < g.length;) {
      for (let i = 0; i < n; i++, k++) {
        // tanh y = 1 − 2/(e^2y + 1), also where e^2y is 0 or ∞.
        const tanh = 1 - 2 / (g[k] + 1);
        g[k] = tanh;
        M[i * n + i] -= 1 - tanh * tanh;
      }
    }
    // Blocks are added in Float64, because sums over all samples in Float32 would lose digits.
    blockSums.fill(0);
    kernels.accumulateProduct(g, y, blockSums, { rows: n, inner: samples, columns: n });
    for (let k = 0; k < M.length; k++) M[k] += blockSums[k];
  }
  return M.map((sum) => sum / count);
}

/** Rejects data that vary by less than 1e-38 along some direction: H overflows in Float32. */
function requireFinite(M: Float64Array, kernels: Kernels): void {
  const bad = M.find((value) => !Number.isFinite(value));
  if (bad === undefined) return;
  const rule = `be finite in the precision of the kernels "${kernels.name}" (scale x up)`;
  throw expected("the moments of the components of x", rule, bad);
}

function withPositiveDiagonal(M: Float64Array, n: number): Float64Array {
  return M.map((value, k) => (M[Math.floor(k / n) * (n + 1)] < 0 ? -value : value));
}

/**
 * Returns the variance of x that each component explains: ‖a_k‖² for H⁻¹ = (a_1 … a_N) = K⁻¹ Wᵀ.
 * Row j of K is an axis divided by its standard deviation, so 1/‖K_j‖² is the variance along it and
 * ‖a_k‖² = Σ_j W_kj² / ‖K_j‖².
 */
function explainedVariances(W: Float64Array, K: Float64Array, n: number): Float64Array {
  const variances = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    let squaredNorm = 0;
    for (let i = 0; i < n; i++) squaredNorm += K[j * n + i] * K[j * n + i];
    for (let k = 0; k < n; k++) variances[k] += (W[k * n + j] * W[k * n + j]) / squaredNorm;
  }
  return variances;
}
