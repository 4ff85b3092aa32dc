import { failureOf } from "../errors.js";
import { loadKernels } from "../kernels/load-kernels.js";
import type { Kernels } from "../kernels/kernels.js";
import type { Job, JobSession } from "./job.js";
import type { PoolPort, ToWorker } from "./messages.js";

/** A job without the types of its data, which each side of the port knows on its own. */
export type AnyJob = Job<never, never, unknown>;

/** The whole of a worker: waits for messages and does the jobs it knows. */
export function serveJobs(port: PoolPort, jobs: readonly AnyJob[]): void {
  const sessions = new Map<string, JobSession<never, never, unknown>>();
  /** Jobs that could not take their shared data, and why. */
  const refusals = new Map<string, unknown>();
  let kernels: Promise<Kernels> | undefined;
  let queue = Promise.resolve();

  const sessionOf = async (name: string): Promise<JobSession<never, never, unknown>> => {
    const open = sessions.get(name);
    if (open) return open;
    const job = jobs.find((candidate) => candidate.name === name);
    if (!job) throw new Error(`this worker knows no job "${name}"`);
    if (!kernels) throw new Error("this worker was given work before it was started");
    const session = job.open(await kernels);
    sessions.set(name, session);
    return session;
  };

  /**
   * A failure is told to the tasks that rely on the data: they have someone who waits for an
   * answer.
   */
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
      kernels = loadKernels({ kernels: message.kernels }).then((loaded) => loaded.kernels);
      await kernels;
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
    // One after the other: a task may rely on what was shared before it.
    queue = queue.then(() =>
      handle(message).catch((error: unknown) => {
        const id = message.type === "task" ? message.id : -1;
        port.post({ type: "failed", id, failure: failureOf(error) }, []);
      }),
    );
  });
}
