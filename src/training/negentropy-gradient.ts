/**
 * The gradient that fits a layer, paper eq. (3): the mean over a batch of the gradient of −log p(x), which is that
 * of the negentropy J(p_y).
 */
import type { FloatArray, GdnGradient, GdnParameters } from "../kernels/kernels.js";
import { runGdnBatch } from "../density/gdn-batch.js";
import { logProbOf } from "../density/induced-density.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkSamples } from "../transforms/gdn-parameters.js";

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
export async function negentropyGradient(
  runner: TaskRunner,
  parameters: GdnParameters,
  x: FloatArray,
): Promise<NegentropyGradient> {
  const { dimension: n, H } = parameters;
  checkSamples(x, n);
  const running = runGdnBatch(runner, parameters, x, { pass: "backpropagate" });
  // While the workers run: the only part that does not depend on the samples.
  const inverse = H ? runner.kernels.floats(n * n) : null;
  const logDeterminantOfH = H && inverse ? runner.kernels.invert(H, n, inverse) : 0;
  const batch = await running;
  let [count, logProb] = [0, 0];
  for (let s = 0; s < batch.failedPivot.length; s++) {
    if (batch.failedPivot[s] >= 0) continue;
    count++;
    logProb += logProbOf(batch.energy[s], batch.logDeterminant[s] + logDeterminantOfH, n);
  }
  const gradient = batch.sums as GdnGradient;
  for (const values of Object.values(gradient) as (FloatArray | null)[]) divide(values, count);
  if (gradient.H && inverse) subtractTransposed(gradient.H, inverse, n);
  return {
    gradient,
    meanLogProb: logProb / count,
    failedSamples: batch.failedPivot.length - count,
  };
}

function divide(values: FloatArray | null, divisor: number): void {
  if (!values) return;
  for (let k = 0; k < values.length; k++) values[k] /= divisor;
}

/** target −= sourceᵀ */
function subtractTransposed(target: FloatArray, source: FloatArray, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) target[i * n + j] -= source[j * n + i];
  }
}
