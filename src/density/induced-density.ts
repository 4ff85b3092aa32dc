/**
 * The density that a layer induces on its data, paper eq. (1):
 *
 *   log p(x) = −½‖y‖² − (N/2) log 2π + log |det ∂y/∂z| + log |det H|
 */
import { GaussianizeError } from "../errors.js";
import type { FloatArray, GdnParameters, Kernels } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkSamples } from "../transforms/gdn-parameters.js";
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
  checkSamples(x, parameters.dimension);
  const batch = await runGdnBatch(runner, parameters, x, { pass: "gaussianize", wantsY: true });
  rejectFailedPivots(batch.failedPivot);
  const ofLinear = logDeterminantOfLinear(runner.kernels, parameters);
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
  checkSamples(x, parameters.dimension);
  const request = { pass: "backpropagate", wantsInputGradient: true } as const;
  const batch = await runGdnBatch(runner, parameters, x, request);
  rejectFailedPivots(batch.failedPivot);
  const ofLinear = logDeterminantOfLinear(runner.kernels, parameters);
  const logProb = batch.energy.map((energy, s) =>
    logProbOf(energy, batch.logDeterminant[s] + ofLinear, parameters.dimension),
  );
  return { logProb, score: (batch.xGradient as FloatArray).map((value) => -value) };
}

/** From ½‖y‖² and log |det ∂y/∂x|. */
export function logProbOf(energy: number, logDeterminant: number, dimension: number): number {
  return -energy - (dimension / 2) * Math.log(2 * Math.PI) + logDeterminant;
}

function logDeterminantOfLinear(kernels: Kernels, { H, dimension }: GdnParameters): number {
  return H ? kernels.invert(H, dimension, kernels.floats(dimension * dimension)) : 0;
}

function rejectFailedPivots(failedPivot: Int32Array): void {
  const sample = failedPivot.findIndex((pivot) => pivot >= 0);
  if (sample < 0) return;
  throw new GaussianizeError(
    `Expected the Jacobian to be positive definite at every sample but pivot ${failedPivot[sample]} ` +
      `of sample ${sample} is not positive: there the transform is not invertible.`,
  );
}
