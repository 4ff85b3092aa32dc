import { GaussianizeError } from "../errors.js";
import type { Kernels } from "../kernels/kernels.js";
import type { Job, JobInput, JobSession, TaskRunner } from "./job.js";

/** Does all tasks in this thread: for small problems, and where there are no workers. */
export class InlineRunner implements TaskRunner {
  readonly size = 1;
  private readonly sessions = new Map<string, JobSession<unknown, unknown, unknown>>();
  private closed = false;

  constructor(readonly kernels: Kernels) {}

  // Async, so that an error in a task is a rejection here as it is with workers.
  // eslint-disable-next-line @typescript-eslint/require-await
  async run<Shared, Task, Result>(
    job: Job<Shared, Task, Result>,
    shared: Shared,
    inputs: readonly JobInput<Task>[],
  ): Promise<Result[]> {
    if (this.closed) throw new GaussianizeError("This runner was closed.");
    let session = this.sessions.get(job.name) as JobSession<Shared, Task, Result> | undefined;
    if (!session) {
      session = job.open(this.kernels);
      this.sessions.set(job.name, session);
    }
    session.share(shared);
    const opened = session;
    return inputs.map(({ task }) => opened.perform(task).result);
  }

  close(): Promise<void> {
    this.closed = true;
    this.sessions.clear();
    return Promise.resolve();
  }
}
