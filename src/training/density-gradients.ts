/** Both gradients of log p at once: by the samples, which is the score, and by the parameters. */
import { runBatch } from "../density/batch-passes.js";
import { commonParts, finishGradients } from "../density/induced-density.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";

export interface DensityGradients {
  /** count×N: ∇ₓ log p(x); 0 where a sample has none. */
  readonly score: FloatArray;
  /** Σ over samples of ∂/∂θ of −log p(x), one record for each stage. */
  readonly gradient: readonly ParameterGroups[];
  readonly failedSamples: number;
}

/** Without checks: for parameters that a fit has just brought within their bounds. */
export async function densityGradients(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
): Promise<DensityGradients> {
  const request = {
    pass: "backpropagate",
    x,
    upstream: null,
    wantsY: false,
    wantsInputGradient: true,
    wantsSums: true,
  } as const;
  const running = runBatch(runner, transform, request);
  // If H turns out singular, nobody will wait for the batch, and its failure must not end the process.
  running.catch(() => undefined);
  const common = commonParts(runner.kernels, transform);
  const batch = await running;
  const failedStage = batch.failedStage as Int32Array;
  const failedSamples = failedStage.reduce((sum, stage) => sum + (stage >= 0 ? 1 : 0), 0);
  const sums = batch.sums as readonly ParameterGroups[];
  return {
    score: (batch.xGradient as FloatArray).map((value) => -value),
    gradient: finishGradients(transform, sums, failedStage.length - failedSamples, common),
    failedSamples,
  };
}
