/** Worker pools on Node's worker threads. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { TaskRunner } from "../src/parallel/job.js";
import type { FromWorker, WorkerHandle } from "../src/parallel/messages.js";
import { type RunnerOptions, openRunnerOn } from "../src/parallel/open-runner.js";
import { enableRelaxedSimd } from "./relaxed-simd.js";

export type { RunnerOptions };

/**
 * Opens a runner. Its workers keep the process alive only while they compute.
 *
 * @example
 * ```js
 * import { affine } from "gaussianize";
 * import { logProb } from "gaussianize/density";
 * import { openRunner } from "gaussianize/node";
 *
 * const runner = await openRunner({ workers: 2 });
 * console.log(await logProb(runner, affine({ dimension: 1 }), Float32Array.of(0, 1)));
 * ```
 */
export function openRunner(options: RunnerOptions = {}): Promise<TaskRunner> {
  if (options.kernels === "relaxed-simd") enableRelaxedSimd();
  return openRunnerOn(options, availableParallelism(), () => startWorker(entry));
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
    keepAlive(isNeeded) {
      if (isNeeded) worker.ref();
      else worker.unref();
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
