/** Worker pools on Web Workers. No shared memory, so pages need no cross-origin isolation. */
import { expected } from "../src/errors.js";
import { type KernelOptions, loadKernels } from "../src/kernels/load-kernels.js";
import { InlineRunner } from "../src/parallel/inline-runner.js";
import type { TaskRunner } from "../src/parallel/job.js";
import type { FromWorker, WorkerHandle } from "../src/parallel/messages.js";
import { WorkerPool } from "../src/parallel/worker-pool.js";

export interface RunnerOptions extends KernelOptions {
  /** Web Workers, default one per core; 0 computes in the calling thread and blocks it. */
  readonly workers?: number;
}

/** Opens a runner; close() it when the page needs it no longer. */
export async function openRunner(options: RunnerOptions = {}): Promise<TaskRunner> {
  const workers = options.workers ?? navigator.hardwareConcurrency;
  if (!Number.isInteger(workers) || workers < 0 || workers > 1024) {
    throw expected("workers", "be an integer from 0 to 1024", workers);
  }
  const { kernels } = await loadKernels(options);
  if (workers === 0) return new InlineRunner(kernels);
  return WorkerPool.open(kernels, workers, startWorker);
}

function startWorker(): WorkerHandle {
  // This form, with the address in place, is the one that bundlers recognise.
  const worker = new Worker(new URL("./worker-entry.js", import.meta.url), { type: "module" });
  return {
    post(message, transfer) {
      worker.postMessage(message, [...transfer]);
    },
    onMessage(listener) {
      worker.addEventListener("message", (event: MessageEvent<FromWorker>) => {
        listener(event.data);
      });
    },
    onDeath(listener) {
      worker.addEventListener("error", (event) => {
        // A script that cannot be loaded gives an event without a message.
        listener(`crashed: ${event.message || "its script could not be loaded"}`);
      });
      worker.addEventListener("messageerror", () => {
        listener("sent a message that could not be read");
      });
    },
    terminate() {
      worker.terminate();
      return Promise.resolve();
    },
  };
}
