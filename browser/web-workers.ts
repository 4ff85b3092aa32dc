/** Worker pools on Web Workers. No shared memory, so pages need no cross-origin isolation. */
import { GaussianizeError } from "../src/errors.js";
import type { TaskRunner } from "../src/parallel/job.js";
import type { FromWorker, WorkerHandle } from "../src/parallel/messages.js";
import { type RunnerOptions, openRunnerOn } from "../src/parallel/open-runner.js";

/**
 * Opens a runner. Call close() when the page no longer needs it. With 0 workers it blocks the page.
 *
 * @example
 * ```js
 * import { openRunner } from "gaussianize/browser";
 *
 * const runner = await openRunner({ workers: 2 });
 * ```
 */
export async function openRunner(options: RunnerOptions = {}): Promise<TaskRunner> {
  if (!("Worker" in globalThis)) {
    throw new GaussianizeError(
      "unavailable",
      "Web Workers are not available. In Node, import gaussianize/node.",
    );
  }
  return openRunnerOn(options, navigator.hardwareConcurrency, startWorker);
}

function startWorker(): WorkerHandle {
  // Bundlers recognise this form only.
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
        // A script that cannot be loaded fires an event without a message.
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
