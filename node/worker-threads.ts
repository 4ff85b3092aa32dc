/** Worker pools on Node's worker threads. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { expected } from "../src/errors.js";
import { type KernelOptions, loadKernels } from "../src/kernels/load-kernels.js";
import { InlineRunner } from "../src/parallel/inline-runner.js";
import type { TaskRunner } from "../src/parallel/job.js";
import type { FromWorker, WorkerHandle } from "../src/parallel/messages.js";
import { WorkerPool } from "../src/parallel/worker-pool.js";
import { enableRelaxedSimd } from "./relaxed-simd.js";

export interface RunnerOptions extends KernelOptions {
  /** Worker threads, default one per core; 0 computes in the calling thread. */
  readonly workers?: number;
}

/** Opens a runner; close() it, or the process will not end. */
export async function openRunner(options: RunnerOptions = {}): Promise<TaskRunner> {
  const workers = options.workers ?? availableParallelism();
  if (!Number.isInteger(workers) || workers < 0 || workers > 1024) {
    throw expected("workers", "be an integer from 0 to 1024", workers);
  }
  if (options.kernels === "relaxed-simd") enableRelaxedSimd();
  const { kernels } = await loadKernels(options);
  if (workers === 0) return new InlineRunner(kernels);
  return WorkerPool.open(kernels, workers, () => startWorker(entry));
}

const entry = new URL("./worker-entry.js", import.meta.url);

/** A worker thread that runs the given module. */
export function startWorker(module: URL): WorkerHandle {
  // Flags of the main program, such as --input-type, would stop a worker.
  const worker = new Worker(module, { execArgv: [] });
  return {
    post(message, transfer) {
      worker.postMessage(message, transfer);
    },
    onMessage(listener) {
      worker.on("message", (message: FromWorker) => {
        listener(message);
      });
    },
    onDeath(listener) {
      worker.on("error", (error: Error) => {
        listener(`crashed: ${error.message}`);
      });
      worker.on("exit", (code) => {
        listener(`ended unexpectedly with exit code ${code}`);
      });
      worker.on("messageerror", () => {
        listener("sent a message that could not be read");
      });
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
