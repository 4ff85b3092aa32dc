/** Entry point of every Web Worker. */
import { jobs } from "../src/jobs.js";
import type { FromWorker, ToWorker } from "../src/parallel/messages.js";
import { serveJobs } from "../src/parallel/serve-jobs.js";

/** The members of a worker's global scope that are used here. The page's types lack them. */
interface WorkerScope {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  addEventListener(
    type: "message" | "messageerror",
    listener: (event: MessageEvent<ToWorker>) => void,
  ): void;
}

const scope = globalThis as unknown as WorkerScope;

// The pool would wait forever for an answer, so the worker ends with a reason.
scope.addEventListener("messageerror", () => {
  throw new Error("it received a message that could not be read");
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
