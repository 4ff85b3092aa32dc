/**
 * The density that a transform induces on its data, paper eq. (1):
 *
 *   log p(x) = −½‖y‖² − (N/2) log 2π + log |det ∂y/∂x|,   y = g(x)
 */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkBatch } from "../transforms/checks.js";
import type { CommonPart } from "../transforms/stage-kind.js";
import { kindOf } from "../transforms/stage-kinds.js";
import { requireChecked } from "../transforms/checked-transform.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import { type BatchOptions, checkCall, runBatch } from "./batch-passes.js";
import type { TransformTaskResult } from "./transform-job.js";

export interface Gaussianized {
  /** count×N */
  readonly y: FloatArray;
  /** log |det ∂y/∂x| of each sample. */
  readonly logDeterminant: Float64Array;
}

/**
 * Returns y = g(x; θ) and log |det ∂y/∂x| of each sample.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { gaussianize } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const twice = affine({ dimension: 1, scale: [2] });
 * const { y, logDeterminant } = await gaussianize(runner, twice, Float32Array.of(0.5));
 * console.log(y[0], logDeterminant[0].toFixed(4)); // 1 0.6931
 * ```
 */
export async function gaussianize(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Gaussianized> {
  const batch = await gaussianizeBatch(runner, transform, x, true, options);
  return { y: batch.y as FloatArray, logDeterminant: batch.logDeterminant };
}

/**
 * Returns y alone, without eliminations, for a checked transform. It does not check that x is
 * finite or that samples have a density.
 */
export async function applyTransform(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  options?: BatchOptions,
): Promise<FloatArray> {
  const { y } = await runBatch(
    runner,
    transform,
    { pass: "gaussianize", x, wantsY: true, isApproximate: true },
    options,
  );
  return y as FloatArray;
}

/**
 * Returns log p(x) of each sample, in nats.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { logProb } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const standardNormal = affine({ dimension: 1 });
 * const [value] = await logProb(runner, standardNormal, Float32Array.of(0));
 * console.log(value.toFixed(4)); // -0.9189
 * ```
 */
export async function logProb(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Float64Array> {
  const tried = await trySamples(runner, transform, x, false, options);
  rejectFailures(tried.transform, tried.batch);
  return tried.logProb;
}

/** A pass whose samples may lack a density. */
export interface TriedSamples {
  readonly transform: Transform;
  readonly batch: TransformTaskResult;
  /** log p(x) of each sample; without meaning for a sample without a density. */
  readonly logProb: Float64Array;
}

/** Computes log p(x), and −∇ log p(x) if requested; the caller handles samples without density. */
export async function trySamples(
  runner: TaskRunner,
  given: Transform,
  x: FloatArray,
  wantsGradient: boolean,
  options?: BatchOptions,
): Promise<TriedSamples> {
  checkCall(runner, options);
  const transform = requireChecked(given);
  const { dimension } = transform;
  checkBatch(x, dimension);
  const { logDeterminant: ofAll } = requireCommonParts(runner.kernels, transform);
  const batch = wantsGradient
    ? await inputPass(runner, transform, x, null, options)
    : await runBatch(runner, transform, { pass: "gaussianize", x, wantsY: false }, options);
  const { energy, logDeterminant } = batch as Complete<"energy" | "logDeterminant">;
  const logProb = energy.map((value, s) => logProbOf(value, logDeterminant[s] + ofAll, dimension));
  return { transform, batch, logProb };
}

/** Returns ½‖y‖² and log |det ∂y/∂x| of each sample, and y if requested. */
export async function gaussianizeBatch(
  runner: TaskRunner,
  given: Transform,
  x: FloatArray,
  wantsY: boolean,
  options?: BatchOptions,
) {
  checkCall(runner, options);
  const transform = requireChecked(given);
  checkBatch(x, transform.dimension);
  const { logDeterminant: ofAll } = requireCommonParts(runner.kernels, transform);
  const batch = await runBatch(runner, transform, { pass: "gaussianize", x, wantsY }, options);
  rejectFailures(transform, batch);
  const { y, energy, logDeterminant } = batch as Complete<"energy" | "logDeterminant">;
  return { y, energy, logDeterminant: logDeterminant.map((value) => value + ofAll) };
}

export interface Scored {
  /** log p(x) of each sample, in nats. */
  readonly logProb: Float64Array;
  /** ∇ log p(x), count×N. */
  readonly score: FloatArray;
}

/**
 * Returns log p(x) and its gradient by x.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { score } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const standardNormal = affine({ dimension: 1 });
 * const found = await score(runner, standardNormal, Float32Array.of(2));
 * console.log(found.score[0]); // -2
 * ```
 */
export async function score(
  runner: TaskRunner,
  given: Transform,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Scored> {
  const { transform, batch, logProb: found } = await trySamples(runner, given, x, true, options);
  rejectFailures(transform, batch);
  const { xGradient } = batch as Complete<"xGradient">;
  return { logProb: found, score: xGradient.map((value) => -value) };
}

/**
 * Returns ∂L/∂x as `backpropagate` does, for a checked transform and without gradients by
 * parameters. If `upstream` is null, L = ½‖y‖² − log |det ∂y/∂x|.
 */
export async function inputGradient(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  upstream: FloatArray | null,
  options?: BatchOptions,
): Promise<Complete<"energy" | "logDeterminant" | "xGradient">> {
  const batch = await inputPass(runner, transform, x, upstream, options);
  rejectFailures(transform, batch);
  return batch as Complete<"energy" | "logDeterminant" | "xGradient">;
}

function inputPass(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  upstream: FloatArray | null,
  options?: BatchOptions,
): Promise<TransformTaskResult> {
  const wanted = { wantsY: false, wantsInputGradient: true, wantsSums: false };
  return runBatch(runner, transform, { pass: "backpropagate", x, upstream, ...wanted }, options);
}

export interface Backpropagated extends Gaussianized {
  /** ∂L/∂x, count×N. */
  readonly xGradient: FloatArray;
  /** ∂L/∂θ of each stage, summed over the samples; a transform that is not a cascade has one. */
  readonly gradient: readonly ParameterGroups[];
}

/**
 * Returns the gradients of L = Σ over samples of (a loss of y) − log |det ∂y/∂x|, where `upstream`
 * (count×N) is the derivative of the loss by y.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { backpropagate } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const [x, upstream] = [Float32Array.of(1), Float32Array.of(0)];
 * const twice = affine({ dimension: 1, scale: [2] });
 * const { gradient } = await backpropagate(runner, twice, x, upstream);
 * console.log(gradient[0].scale[0]); // -0.5
 * ```
 */
export async function backpropagate(
  runner: TaskRunner,
  given: Transform,
  x: FloatArray,
  upstream: FloatArray,
  options?: BatchOptions,
): Promise<Backpropagated> {
  checkCall(runner, options);
  const transform = requireChecked(given);
  const count = checkBatch(x, transform.dimension);
  if (upstream.length !== x.length) {
    throw expected("upstream", `hold ${x.length} values, as x does`, upstream.length);
  }
  checkBatch(upstream, transform.dimension, "upstream");
  const common = requireCommonParts(runner.kernels, transform);
  const wanted = { wantsY: true, wantsInputGradient: true, wantsSums: true };
  const request = { pass: "backpropagate", x, upstream, ...wanted } as const;
  const batch = await runBatch(runner, transform, request, options);
  rejectFailures(transform, batch);
  const { y, logDeterminant, xGradient, sums } = batch as Complete<
    "y" | "logDeterminant" | "xGradient" | "sums"
  >;
  return {
    y,
    logDeterminant: logDeterminant.map((value) => value + common.logDeterminant),
    xGradient,
    gradient: finishGradients(transform, sums, count, common),
  };
}

/** A result with the requested parts. */
type Complete<K extends keyof TransformTaskResult> = TransformTaskResult & {
  readonly [P in K]: NonNullable<TransformTaskResult[P]>;
};

/** log 2π */
export const logTwoPi = 1.8378770664093453;

/** Returns log p(x), given ½‖y‖² and log |det ∂y/∂x|. */
export function logProbOf(energy: number, logDeterminant: number, dimension: number): number {
  return -energy - (dimension / 2) * logTwoPi + logDeterminant;
}

export interface CommonParts {
  readonly ofStages: readonly CommonPart[];
  /** Part of log |det ∂y/∂x| shared by all samples. */
  readonly logDeterminant: number;
}

/** Rejects an H that is singular in the precision of the kernels. */
export function requireCommonParts(kernels: Kernels, transform: Transform): CommonParts {
  const common = commonParts(kernels, transform);
  if (Number.isFinite(common.logDeterminant)) return common;
  const rule = `be non-singular in the precision of the kernels "${kernels.name}"`;
  throw expected("H", rule, "a matrix that is not");
}

export function commonParts(kernels: Kernels, transform: Transform): CommonParts {
  const ofStages = stagesOf(transform).map((stage) => kindOf(stage).common(kernels, stage));
  return {
    ofStages,
    logDeterminant: ofStages.reduce((sum, { logDeterminant }) => sum + logDeterminant, 0),
  };
}

/** Returns the gradients by parameters, from the sums over samples and the common parts. */
export function finishGradients(
  transform: Transform,
  sums: readonly ParameterGroups[],
  count: number,
  { ofStages }: CommonParts,
): readonly ParameterGroups[] {
  return stagesOf(transform).map((stage, k) =>
    kindOf(stage).finishGradient(stage, sums[k], count, ofStages[k]),
  );
}

function rejectFailures(transform: Transform, batch: TransformTaskResult): void {
  const { failedStage } = batch as Complete<"failedStage">;
  const sample = failedStage.findIndex((stage) => stage >= 0);
  if (sample < 0) return;
  const reason = failureOf(transform, batch, sample);
  throw new GaussianizeError("no-density", `Sample ${sample} has no density${reason}.`);
}

/** Returns the place and the reason of the failure of a sample, after "has no density". */
export function failureOf(
  transform: Transform,
  batch: Pick<TransformTaskResult, "failedStage" | "failedComponent">,
  sample: number,
): string {
  const { failedStage, failedComponent } = batch as Complete<"failedStage" | "failedComponent">;
  const stages = stagesOf(transform);
  const stage = stages[failedStage[sample]];
  const place = stages.length === 1 ? "" : ` in stage ${failedStage[sample]} (${stage.kind})`;
  return `${place}: ${kindOf(stage).failure(stage, failedComponent[sample])}`;
}
