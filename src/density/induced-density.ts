/**
 * The density that a layer induces on its data, paper eq. (1):
 *
 *   log p(x) = −½‖y‖² − (N/2) log 2π + log |det ∂y/∂z| + log |det H|
 */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray, GdnGradient, GdnParameters, Kernels } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkSamples, requireChecked } from "../transforms/gdn-parameters.js";
import { runGdnBatch } from "./gdn-batch.js";

export interface Gaussianized {
  /** count×N */
  readonly y: FloatArray;
  /** log |det ∂y/∂x| of each sample. */
  readonly logDeterminant: Float64Array;
}

/** y = g(x; θ), paper eq. (5), with log |det ∂y/∂x|. */
export async function gaussianize(
  runner: TaskRunner,
  parameters: GdnParameters,
  x: FloatArray,
): Promise<Gaussianized> {
  requireChecked(parameters);
  checkSamples(x, parameters.dimension);
  const ofLinear = invertLinear(runner.kernels, parameters).logDeterminant;
  const batch = await runGdnBatch(runner, parameters, x, { pass: "gaussianize", wantsY: true });
  rejectFailedPivots(batch.failedPivot);
  return {
    y: batch.y as FloatArray,
    logDeterminant: batch.logDeterminant.map((value) => value + ofLinear),
  };
}

export interface Scored {
  /** log p(x) of each sample, in nats. */
  readonly logProb: Float64Array;
  /** count×N: ∇ log p(x). */
  readonly score: FloatArray;
}

/** log p(x) and its gradient by x. */
export async function score(
  runner: TaskRunner,
  parameters: GdnParameters,
  x: FloatArray,
): Promise<Scored> {
  requireChecked(parameters);
  checkSamples(x, parameters.dimension);
  const ofLinear = invertLinear(runner.kernels, parameters).logDeterminant;
  const request = { pass: "backpropagate", wantsInputGradient: true } as const;
  const batch = await runGdnBatch(runner, parameters, x, request);
  rejectFailedPivots(batch.failedPivot);
  const logProb = batch.energy.map((energy, s) =>
    logProbOf(energy, batch.logDeterminant[s] + ofLinear, parameters.dimension),
  );
  return { logProb, score: (batch.xGradient as FloatArray).map((value) => -value) };
}

export interface Backpropagated extends Gaussianized {
  /** count×N: ∂L/∂x. */
  readonly xGradient: FloatArray;
  /** ∂L/∂θ, summed over the samples; the part −H⁻ᵀ of each sample included. */
  readonly gradient: GdnGradient;
}

/**
 * Gradients of L = Σ over samples of (a loss of y) − log |det ∂y/∂x|, where `upstream` (count×N) is the derivative of the loss
 * by y: what a layer above hands down, so that layers can be stacked and trained together.
 */
export async function backpropagate(
  runner: TaskRunner,
  parameters: GdnParameters,
  x: FloatArray,
  upstream: FloatArray,
): Promise<Backpropagated> {
  requireChecked(parameters);
  const count = checkSamples(x, parameters.dimension);
  if (upstream.length !== x.length) {
    throw expected("upstream", `hold ${x.length} values, as x does`, upstream.length);
  }
  checkSamples(upstream, parameters.dimension, "upstream");
  const linear = invertLinear(runner.kernels, parameters);
  const batch = await runGdnBatch(runner, parameters, x, {
    pass: "backpropagate",
    upstream,
    wantsY: true,
    wantsInputGradient: true,
    wantsSums: true,
  });
  rejectFailedPivots(batch.failedPivot);
  const gradient = batch.sums as GdnGradient;
  if (gradient.H && linear.inverse) subtractTransposed(gradient.H, linear.inverse, count);
  return {
    y: batch.y as FloatArray,
    logDeterminant: batch.logDeterminant.map((value) => value + linear.logDeterminant),
    xGradient: batch.xGradient as FloatArray,
    gradient,
  };
}

/** log 2π */
const logTwoPi = 1.8378770664093453;

/** From ½‖y‖² and log |det ∂y/∂x|. */
export function logProbOf(energy: number, logDeterminant: number, dimension: number): number {
  return -energy - (dimension / 2) * logTwoPi + logDeterminant;
}

export interface InvertedLinear {
  /** H⁻¹, null where H is the identity. */
  readonly inverse: FloatArray | null;
  /** log |det H| */
  readonly logDeterminant: number;
}

/** In the precision of the kernels, where an H may be singular that is not in Float64. */
export function invertLinear(kernels: Kernels, { H, dimension: n }: GdnParameters): InvertedLinear {
  if (!H) return { inverse: null, logDeterminant: 0 };
  const inverse = kernels.floats(n * n);
  const logDeterminant = kernels.invert(H, n, inverse);
  if (Number.isFinite(logDeterminant)) return { inverse, logDeterminant };
  throw expected(
    "H",
    `be non-singular in the precision of the kernels "${kernels.name}"`,
    "a matrix that is not",
  );
}

/** target −= times · sourceᵀ, for square matrices. */
export function subtractTransposed(target: FloatArray, source: FloatArray, times: number): void {
  const n = Math.sqrt(source.length);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) target[i * n + j] -= times * source[j * n + i];
  }
}

function rejectFailedPivots(failedPivot: Int32Array): void {
  const sample = failedPivot.findIndex((pivot) => pivot >= 0);
  if (sample < 0) return;
  throw new GaussianizeError(
    `Expected the Jacobian to be positive definite at every sample but pivot ${failedPivot[sample]} ` +
      `of sample ${sample} is not positive, or beyond the range of Float32.`,
  );
}
