import { GaussianizeError } from "../errors.js";
import type { Kernels } from "../kernels/kernels.js";
import type { Job, JobInput, TaskRunner } from "./job.js";
import { LocalSessions } from "./local-sessions.js";

/** Does all tasks in this thread: for small problems, and where there are no workers. */
export class InlineRunner implements TaskRunner {
  readonly size = 1;
  private readonly sessions: LocalSessions;
  private closed = false;

  constructor(readonly kernels: Kernels) {
    this.sessions = new LocalSessions(kernels);
  }

  run<Shared, Task, Result>(
    job: Job<Shared, Task, Result>,
    shared: Shared,
    inputs: readonly JobInput<Task>[],
  ): Promise<Result[]> {
    // What is thrown in here is a rejection, as it is with workers.
    return new Promise((resolve) => {
      if (this.closed) throw new GaussianizeError("This runner was closed.");
      const session = this.sessions.of(job);
      session.share(shared);
      resolve(inputs.map(({ task }) => session.perform(task).result));
    });
  }

  close(): Promise<void> {
    this.closed = true;
    this.sessions.clear();
    return Promise.resolve();
  }
}
