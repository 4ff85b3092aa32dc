import type { FromWorker, ToWorker, WorkerHandle } from "../../src/parallel/messages.js";
import { type AnyJob, serveJobs } from "../../src/parallel/serve-jobs.js";

/** A worker in this thread that really serves jobs; its messages arrive later, as a thread's do. */
export function startFakeWorker(jobs: readonly AnyJob[], onTask: () => void): WorkerHandle {
  const toPool: ((message: FromWorker) => void)[] = [];
  const toWorker: ((message: ToWorker) => void)[] = [];
  serveJobs(
    {
      post(message) {
        setImmediate(() => {
          for (const listener of toPool) listener(message);
        });
      },
      onMessage(listener) {
        toWorker.push(listener);
      },
    },
    jobs,
  );
  return {
    post(message) {
      if (message.type === "task") onTask();
      setImmediate(() => {
        for (const listener of toWorker) listener(structuredClone(message));
      });
    },
    onMessage(listener) {
      toPool.push(listener);
    },
    onDeath() {
      // It never dies.
    },
    terminate: () => Promise.resolve(),
  };
}
