import type { Kernels } from "../kernels/kernels.js";
import type { Job, JobSession } from "./job.js";

/** The jobs that this thread does itself, opened when they first come. */
export class LocalSessions {
  private readonly sessions = new Map<string, JobSession<unknown, unknown, unknown>>();

  constructor(private readonly kernels: Kernels) {}

  of<Shared, Task, Result>(job: Job<Shared, Task, Result>): JobSession<Shared, Task, Result> {
    const present = this.sessions.get(job.name);
    if (present) return present as JobSession<Shared, Task, Result>;
    const session = job.open(this.kernels);
    this.sessions.set(job.name, session);
    return session;
  }

  clear(): void {
    this.sessions.clear();
  }
}
