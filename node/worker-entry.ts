/** What runs in every worker thread. */
import { parentPort } from "node:worker_threads";
import { jobs } from "../src/jobs.js";
import type { ToWorker } from "../src/parallel/messages.js";
import { serveJobs } from "../src/parallel/serve-jobs.js";

const port = parentPort;
if (!port) throw new Error("worker-entry.js is started by openRunner(), not by hand");

// Nobody would answer it, and the pool would wait forever: better to end here with a reason.
port.on("messageerror", () => {
  throw new Error("a message to it could not be read");
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
