/** What runs in every Web Worker. */
import { jobs } from "../src/jobs.js";
import type { FromWorker, ToWorker } from "../src/parallel/messages.js";
import { serveJobs } from "../src/parallel/serve-jobs.js";

/**
 * The few members of a dedicated worker's global scope that are used; the page's types do not have
 * them.
 */
interface WorkerScope {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  addEventListener(
    type: "message" | "messageerror",
    listener: (event: MessageEvent<ToWorker>) => void,
  ): void;
}

const scope = globalThis as unknown as WorkerScope;

// Nobody would answer it, and the pool would wait forever: better to end here with a reason.
scope.addEventListener("messageerror", () => {
  throw new Error("a message to it could not be read");
});

serveJobs(
  {
    post(message, transfer) {
      scope.postMessage(message, [...transfer]);
    },
    onMessage(listener) {
      scope.addEventListener("message", (event) => {
        listener(event.data);
      });
    },
  },
  jobs,
);
