import { expected } from "../errors.js";
import { type KernelOptions, loadKernels } from "../kernels/load-kernels.js";
import { InlineRunner } from "./inline-runner.js";
import type { TaskRunner } from "./job.js";
import type { WorkerHandle } from "./messages.js";
import { WorkerPool } from "./worker-pool.js";

export interface RunnerOptions extends KernelOptions {
  /** Number of workers; default one per core; 0 computes in the calling thread. */
  readonly workers?: number;
  /**
   * Makes the calling thread one of the workers. Slightly faster, but blocks that thread while it
   * computes; for programs that do nothing else meanwhile. Default false.
   */
  readonly callerWorks?: boolean;
}

const mostWorkers = 1024;

/** Checks the options, loads the kernels and starts the workers of a platform. */
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
  const { callerWorks = false } = options;
  if (workers === 0 || (workers === 1 && callerWorks)) return new InlineRunner(kernels);
  return WorkerPool.open(kernels, workers, startWorker, callerWorks);
}
