import { expected } from "../errors.js";
import { type KernelOptions, loadKernels } from "../kernels/load-kernels.js";
import { InlineRunner } from "./inline-runner.js";
import type { TaskRunner } from "./job.js";
import type { WorkerHandle } from "./messages.js";
import { WorkerPool } from "./worker-pool.js";

export interface RunnerOptions extends KernelOptions {
  /** Workers, default one per core; 0 computes in the calling thread. */
  readonly workers?: number;
}

const mostWorkers = 1024;

/** What the adapters share: checks the options, loads the kernels and starts the workers of a platform. */
export async function openRunnerOn(
  options: RunnerOptions,
  cores: number,
  startWorker: () => WorkerHandle,
): Promise<TaskRunner> {
  const { workers = cores } = options;
  if (!Number.isInteger(workers) || workers < 0 || workers > mostWorkers) {
    throw expected("workers", `be an integer from 0 to ${mostWorkers}`, workers);
  }
  const { kernels } = await loadKernels(options);
  return workers === 0 ? new InlineRunner(kernels) : WorkerPool.open(kernels, workers, startWorker);
}
