import type { TaskRunner } from "../src/parallel/job.js";
import { uncheckedNegentropyGradient } from "../src/training/negentropy-gradient.js";
import { type RoundOptions, bestRate } from "./measure.js";
import { type Problem, batchFor, layerFor } from "./problem.js";

/** Samples per second of gradient steps of one batch, including −H⁻ᵀ. */
export async function stepRate(
  runner: TaskRunner,
  problem: Problem,
  rounds?: RoundOptions,
): Promise<number> {
  const layer = layerFor(problem);
  const x = batchFor(problem);
  const rate = await bestRate(async () => {
    await uncheckedNegentropyGradient(runner, layer, x);
  }, rounds);
  return rate * problem.batch;
}
