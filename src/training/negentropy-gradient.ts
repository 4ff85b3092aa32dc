/**
 * The gradient of the negentropy J(p_y), paper eq. (3): the mean over a batch of the gradient of
 * −log p(x).
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
import type { ProbeRequest, TransformTaskResult } from "../density/transform-job.js";
import { square } from "../numbers/square.js";
import type { TaskRunner } from "../parallel/job.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkSamples } from "../transforms/checks.js";
import { requireChecked } from "../transforms/checked-transform.js";
import { formOf } from "../transforms/gdn-structures.js";
import type { ParameterGroups, Stage, Transform } from "../transforms/transform.js";

export interface NegentropyGradient {
  /** Means over the samples: one record per stage, or one for a transform that is not a cascade. */
  readonly gradient: readonly ParameterGroups[];
  /** Mean of log p(x) over the samples, in nats. */
  readonly meanLogProb: number;
  /**
   * Number of samples without a density, say because I − M has a non-positive pivot. The means of
   * the stage where they failed exclude them: reject a step with failed samples.
   */
  readonly failedSamples: number;
  /** Statistics of the estimate; missing for an exact gradient. */
  readonly estimate?: GradientEstimate;
}

/** Summary of the iterations behind a gradient that was estimated with random signs. */
export interface GradientEstimate {
  /** Products with γ per sample and layer; N for a sample whose iteration did not converge. */
  readonly products: number;
  /** Root mean square of the residuals of the samples, relative to their signs. */
  readonly residual: number;
}

/**
 * Returns the mean gradient of −log p(x) over samples. With WebAssembly kernels, the bits do not
 * depend on the number of workers.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { negentropyGradient } from "gaussianize/training";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const x = Float32Array.of(1, 3);
 * const { gradient } = await negentropyGradient(runner, affine({ dimension: 1 }), x);
 * console.log(gradient[0].shift[0]); // 2
 * ```
 */
export async function negentropyGradient(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  options?: BatchOptions,
): Promise<NegentropyGradient> {
  checkCall(runner, options);
  return gradientOf(runner, requireChecked(transform), x, requireCommonParts, {}, options);
}

/**
 * Like {@link negentropyGradient}, for parameters that are within their bounds. If H is singular in
 * the precision of the kernels, meanLogProb is NaN. The gradients of the first `fixedStages` stages
 * are 0, and only their log-determinants are computed.
 */
export function uncheckedNegentropyGradient(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  { fixedStages = 0, probes, ...team }: UncheckedOptions = {},
): Promise<NegentropyGradient> {
  const how = { fixedStages, probes };
  return gradientOf(runner, transform, x, commonParts, how, undefined, team);
}

export interface UncheckedOptions extends Teamwork {
  readonly fixedStages?: number;
  /** Seed of the random signs of this batch, for an estimate instead of the exact gradient. */
  readonly probes?: { readonly seed: number } | undefined;
}

/**
 * Residual at which an estimate is good enough. Fits with ten times this residual needed 1.6 times
 * as many steps (docs/decisions.md).
 */
const probeTolerance = 0.005;

/** Returns the request for estimated gradients of a batch. */
export function probeRequest(seed: number): ProbeRequest {
  return { seed, firstLeaf: 0, tolerance: probeTolerance };
}

/**
 * Ranks that share a batch: x is this rank's part, the gradient is that of the whole batch. Without
 * ranks, the gradient is that of x, and `batch` only sets the size of its leaves.
 */
export interface Teamwork {
  readonly passes?: RankedPasses | undefined;
  /** Samples of the whole batch. */
  readonly batch?: number | undefined;
}

async function gradientOf(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  partsOf: typeof commonParts,
  { fixedStages = 0, probes }: Pick<UncheckedOptions, "fixedStages" | "probes">,
  options?: BatchOptions,
  { passes, batch: count = x.length / transform.dimension }: Teamwork = {},
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
    ...(probes && { probes: probeRequest(probes.seed) }),
  } as const;
  const running = passes
    ? passes.run(runner, transform, request, count)
    : runBatch(runner, transform, request, options, count);
  // If H is singular, nothing awaits this promise; it must not be an unhandled rejection.
  running.catch(() => undefined);
  // Computed while the workers run.
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
  // The sums are means now, so the common part counts once.
  const gradient = finishGradients(transform, sums, 1, common);
  for (const groups of gradient.slice(0, fixedStages)) {
    for (const values of Object.values(groups)) values.fill(0);
  }
  return {
    gradient,
    meanLogProb: logProb / sound,
    failedSamples: failedStage.length - sound,
    ...(probes && { estimate: estimateOf(stagesOf(transform).slice(fixedStages), batch) }),
  };
}

/** Whether a stage can have estimated gradients: only a layer with a full γ. */
export function isEstimated(stage: Stage): boolean {
  return stage.kind === "gdn" && formOf(stage).form === "column";
}

/** `stages` are those with a gradient. */
export function estimateOf(stages: readonly Stage[], batch: TransformTaskResult): GradientEstimate {
  const [iterations, residual] = [batch.iterations as Int32Array, batch.residual as Float64Array];
  const count = iterations.length;
  const layers = Math.max(1, stages.filter(isEstimated).length);
  let [products, squares] = [0, 0];
  for (let s = 0; s < count; s++) {
    products += iterations[s];
    squares += square(residual[s]);
  }
  return { products: products / (layers * count), residual: Math.sqrt(squares / count) };
}

function divide(values: FloatArray, divisor: number): void {
  // For a power of two, the product with the reciprocal has the same bits and is faster.
  if ((divisor & (divisor - 1)) === 0) {
    const reciprocal = 1 / divisor;
    for (let k = 0; k < values.length; k++) values[k] *= reciprocal;
  } else {
    for (let k = 0; k < values.length; k++) values[k] /= divisor;
  }
}
