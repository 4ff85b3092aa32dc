/**
 * The gradient that fits a layer, paper eq. (3): the mean over a batch of the gradient of −log p(x), which is that
 * of the negentropy J(p_y).
 */
import type { FloatArray, GdnGradient, GdnParameters } from "../kernels/kernels.js";
import { runGdnBatch } from "../density/gdn-batch.js";
import { invertLinear, logProbOf, subtractTransposed } from "../density/induced-density.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkSamples, requireChecked } from "../transforms/gdn-parameters.js";

export interface NegentropyGradient {
  /** Means over the samples; −H⁻ᵀ included. */
  readonly gradient: GdnGradient;
  /** Mean of log p(x) over the samples, in nats. */
  readonly meanLogProb: number;
  /** Samples where I − M has a non-positive pivot. They are not in the means: reject a step that has any. */
  readonly failedSamples: number;
}

/**
 * With WebAssembly kernels the same bits for the same batch, whatever the number of workers; the specification sums sample
 * by sample within a task.
 */
export function negentropyGradient(
  runner: TaskRunner,
  parameters: GdnParameters,
  x: FloatArray,
): Promise<NegentropyGradient> {
  requireChecked(parameters);
  return uncheckedNegentropyGradient(runner, parameters, x);
}

/** The same for parameters that a fit has just brought within their bounds. */
export async function uncheckedNegentropyGradient(
  runner: TaskRunner,
  parameters: GdnParameters,
  x: FloatArray,
): Promise<NegentropyGradient> {
  const n = parameters.dimension;
  checkSamples(x, n);
  const running = runGdnBatch(runner, parameters, x, { pass: "backpropagate", wantsSums: true });
  // If H turns out singular, nobody will wait for the batch, and its failure must not end the process.
  running.catch(() => undefined);
  // While the workers run: the only part that does not depend on the samples.
  const linear = invertLinear(runner.kernels, parameters);
  const batch = await running;
  let [count, logProb] = [0, 0];
  for (let s = 0; s < batch.failedPivot.length; s++) {
    if (batch.failedPivot[s] >= 0) continue;
    count++;
    logProb += logProbOf(batch.energy[s], batch.logDeterminant[s] + linear.logDeterminant, n);
  }
  const gradient = batch.sums as GdnGradient;
  for (const values of Object.values(gradient) as (FloatArray | null)[]) divide(values, count);
  if (gradient.H && linear.inverse) subtractTransposed(gradient.H, linear.inverse, 1);
  const failedSamples = batch.failedPivot.length - count;
  return { gradient, meanLogProb: logProb / count, failedSamples };
}

function divide(values: FloatArray | null, divisor: number): void {
  if (!values) return;
  for (let k = 0; k < values.length; k++) values[k] /= divisor;
}
