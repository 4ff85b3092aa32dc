/** (b) Samples per second of a whole gradient step. */
import type { KernelName } from "../src/index.js";
import { uncheckedNegentropyGradient } from "../src/training/negentropy-gradient.js";
import { openRunner } from "../node/index.js";
import { type RoundOptions, bestRate } from "./measure.js";
import { type Problem, batchFor, layerFor } from "./problem.js";

/**
 * Samples per second; a step is one batch through the workers and back, −H⁻ᵀ included. The calling thread is one of the
 * workers, as in a fit.
 */
export async function measureStep(
  problem: Problem,
  kernels: KernelName,
  workers: number,
  rounds?: RoundOptions,
): Promise<number> {
  const runner = await openRunner({ kernels, workers, callerWorks: true });
  const layer = layerFor(problem);
  const x = batchFor(problem);
  const rate = await bestRate(async () => {
    await uncheckedNegentropyGradient(runner, layer, x);
  }, rounds);
  await runner.close();
  return rate * problem.batch;
}
