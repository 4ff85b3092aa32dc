/**
 * The gradient that fits a transform, paper eq. (3): the mean over a batch of the gradient of −log
 * p(x), which is that of the negentropy J(p_y).
 */
import type { FloatArray } from "../kernels/kernels.js";
import { type BatchOptions, checkCall, runBatch } from "../density/batch-passes.js";
import {
  commonParts,
  finishGradients,
  logProbOf,
  requireCommonParts,
} from "../density/induced-density.js";
import type { RankedPasses } from "../density/ranked-passes.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkSamples } from "../transforms/checks.js";
import { requireChecked } from "../transforms/checked-transform.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";

export interface NegentropyGradient {
  /** Means over the samples, one record for each stage (one for a transform that is no cascade). */
  readonly gradient: readonly ParameterGroups[];
  /** Mean of log p(x) over the samples, in nats. */
  readonly meanLogProb: number;
  /**
   * Samples without a density, for example where I − M has a non-positive pivot. They are not in
   * the means of the stage where they failed: reject a step that has any.
   */
  readonly failedSamples: number;
}

/**
 * With WebAssembly kernels the same bits for the same batch, whatever the number of workers; the
 * specification sums sample by sample within a task.
 */
export async function negentropyGradient(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  options?: BatchOptions,
): Promise<NegentropyGradient> {
  checkCall(runner, options);
  return gradientOf(runner, requireChecked(transform), x, requireCommonParts, 0, options);
}

/**
 * The same for parameters that a fit has just brought within their bounds. Where H is singular in
 * the precision of the kernels, meanLogProb is NaN. The gradients of `fixedStages` first stages are
 * 0, and cost nothing but their log-determinants.
 */
export function uncheckedNegentropyGradient(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  fixedStages = 0,
  team: Teamwork = {},
): Promise<NegentropyGradient> {
  return gradientOf(runner, transform, x, commonParts, fixedStages, undefined, team);
}

/** Of a batch that ranks share: x is this rank's part, the gradient is of all. */
export interface Teamwork {
  readonly passes?: RankedPasses | undefined;
  /** Samples of all ranks together. */
  readonly batch?: number | undefined;
}

async function gradientOf(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  partsOf: typeof commonParts,
  fixedStages: number,
  options?: BatchOptions,
  { passes, batch: count = 0 }: Teamwork = {},
): Promise<NegentropyGradient> {
  const n = transform.dimension;
  checkSamples(x, n);
  const request = {
    pass: "backpropagate",
    x,
    upstream: null,
    wantsY: false,
    wantsInputGradient: false,
    wantsSums: true,
    fixedStages,
  } as const;
  const running = passes
    ? passes.run(runner, transform, request, count)
    : runBatch(runner, transform, request, options);
  // If H turns out singular, nobody will wait for the batch, and its failure must not end the
  // process.
  running.catch(() => undefined);
  // While the workers run: the only part that does not depend on the samples.
  const common = partsOf(runner.kernels, transform);
  const batch = await running;
  const failedStage = batch.failedStage as Int32Array;
  const [energy, logDeterminant] = [batch.energy, batch.logDeterminant] as Float64Array[];
  let [sound, logProb] = [0, 0];
  for (let s = 0; s < failedStage.length; s++) {
    if (failedStage[s] >= 0) continue;
    sound++;
    logProb += logProbOf(energy[s], logDeterminant[s] + common.logDeterminant, n);
  }
  const sums = batch.sums as readonly ParameterGroups[];
  for (const groups of sums) for (const values of Object.values(groups)) divide(values, sound);
  // The common part of one sample is that of the mean.
  const gradient = finishGradients(transform, sums, 1, common);
  for (const groups of gradient.slice(0, fixedStages)) {
    for (const values of Object.values(groups)) values.fill(0);
  }
  return {
    gradient,
    meanLogProb: logProb / sound,
    failedSamples: failedStage.length - sound,
  };
}

function divide(values: FloatArray, divisor: number): void {
  for (let k = 0; k < values.length; k++) values[k] /= divisor;
}
