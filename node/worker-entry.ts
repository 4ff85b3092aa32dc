/** Entry point of every worker thread. */
import { parentPort } from "node:worker_threads";
import { jobs } from "../src/jobs.js";
import type { ToWorker } from "../src/parallel/messages.js";
import { serveJobs } from "../src/parallel/serve-jobs.js";

const port = parentPort;
if (!port) throw new Error("worker-entry.js must be started by openRunner()");

// The pool would wait forever for an answer, so the worker ends with a reason.
port.on("messageerror", () => {
  throw new Error("it received a message that could not be read");
});

serveJobs(
  {
    post(message, transfer) {
      port.postMessage(message, transfer);
    },
    onMessage(listener) {
      port.on("message", (message: ToWorker) => {
        listener(message);
      });
    },
  },
  jobs,
);
