import { failureOf } from "../errors.js";
import { loadKernels } from "../kernels/load-kernels.js";
import { type Job, type JobSession, JobSessions } from "./job.js";
import type { PoolPort, ToWorker } from "./messages.js";

/** A job without the types of its data. */
export type AnyJob = Job<never, never, unknown>;

/** Main function of a worker: waits for messages and does its jobs. */
export function serveJobs(port: PoolPort, jobs: readonly AnyJob[]): void {
  /** Errors of jobs that rejected their shared data. */
  const refusals = new Map<string, unknown>();
  let sessions: Promise<JobSessions> | undefined;
  let queue = Promise.resolve();

  const sessionOf = async (name: string): Promise<JobSession<never, never, unknown>> => {
    const job = jobs.find((candidate) => candidate.name === name);
    if (!job) throw new Error(`unknown job "${name}"`);
    if (!sessions) throw new Error("the worker received work before it was started");
    return (await sessions).of(job);
  };

  /** Keeps an error for the tasks that need the data, because they are answered. */
  const share = async (name: string, shared: unknown): Promise<void> => {
    refusals.delete(name);
    try {
      (await sessionOf(name)).share(shared as never);
    } catch (error) {
      refusals.set(name, error);
    }
  };

  const handle = async (message: ToWorker): Promise<void> => {
    if (message.type === "start") {
      sessions = loadKernels(message).then(({ kernels }) => new JobSessions(kernels));
      await sessions;
      port.post({ type: "ready" }, []);
      return;
    }
    if (message.type === "share") {
      await share(message.job, message.shared);
      return;
    }
    if (refusals.has(message.job)) throw refusals.get(message.job);
    const session = await sessionOf(message.job);
    const { result, transfer } = session.perform(message.task as never);
    port.post({ type: "done", id: message.id, result }, transfer);
  };

  port.onMessage((message) => {
    // In order, because a task may need data that were shared before it.
    queue = queue.then(() =>
      handle(message).catch((error: unknown) => {
        const id = message.type === "task" ? message.id : -1;
        port.post({ type: "failed", id, failure: failureOf(error) }, []);
      }),
    );
  });
}
