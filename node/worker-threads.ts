/** Worker pools on Node's worker threads. */
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { TaskRunner } from "../src/parallel/job.js";
import type { FromWorker, WorkerHandle } from "../src/parallel/messages.js";
import { type RunnerOptions, openRunnerOn } from "../src/parallel/open-runner.js";

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

/**
 * Enables relaxed SIMD in Node 20, which has it behind a flag; newer versions need no flag. Call it
 * before anything computes, because the kernels are compiled then. Worker threads have it too.
 *
 * @example
 * ```js
 * import { enableRelaxedSimd } from "gaussianize/node";
 *
 * enableRelaxedSimd(); // before anything computes
 * console.log("ready");
 * ```
 */
export function enableRelaxedSimd(): void {
  if (Number(process.versions.node.split(".")[0]) < 22) {
    setFlagsFromString("--experimental-wasm-relaxed-simd");
  }
}

const entry = new URL("./worker-entry.js", import.meta.url);

/** Starts a worker thread that runs the given module. */
export function startWorker(module: URL): WorkerHandle {
  // Some flags of the main program, such as --input-type, make a worker fail.
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
