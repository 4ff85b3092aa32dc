import type { Kernels } from "../kernels/kernels.js";

/**
 * A kind of work that any thread can do: `share` receives the data common to all tasks of a run
 * (parameters), `perform` does one task. All messages are plain data: records and typed arrays.
 */
export interface Job<Shared, Task, Result> {
  /** Name by which a worker finds the job in its own copy of the code. */
  readonly name: string;
  open(kernels: Kernels): JobSession<Shared, Task, Result>;
}

export interface JobSession<Shared, Task, Result> {
  share(shared: Shared): void;
  perform(task: Task): JobOutput<Result>;
}

export interface JobOutput<Result> {
  readonly result: Result;
  /** Buffers to transfer to the caller instead of copying them. */
  readonly transfer: readonly ArrayBuffer[];
}

/** Returns a job whose sessions only keep the shared data. */
export function jobOf<Shared, Task, Result>(
  name: string,
  perform: (kernels: Kernels, shared: Shared, task: Task) => JobOutput<Result>,
): Job<Shared, Task, Result> {
  return {
    name,
    open(kernels) {
      let known: { readonly shared: Shared } | undefined;
      return {
        share(shared) {
          known = { shared };
        },
        perform(task) {
          if (!known) throw new Error("parameters come before tasks");
          return perform(kernels, known.shared, task);
        },
      };
    },
  };
}

/** A task, and the buffers to transfer to the worker instead of copying them. */
export interface JobInput<Task> {
  readonly task: Task;
  readonly transfer: readonly ArrayBuffer[];
}

/** Tasks in order: an array, or to save memory a list that makes each task on demand. */
export interface TaskList<Task> {
  readonly length: number;
  at(index: number): JobInput<Task> | undefined;
}

export interface RunOptions {
  /** Cancels the run: no more tasks are started, and it fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each task with its index. */
  readonly onTaskDone?: ((index: number) => void) | undefined;
}

/** Runs tasks in this thread or in a pool of workers. Results are in the order of the tasks. */
export interface TaskRunner {
  /** Number of tasks that run at the same time. */
  readonly size: number;
  /** Kernels for computations of the caller between runs. */
  readonly kernels: Kernels;
  /** Whether the runner is unusable because it was closed or lost a worker. */
  readonly isClosed?: boolean;
  run<Shared, Task, Result>(
    job: Job<Shared, Task, Result>,
    shared: Shared,
    inputs: TaskList<Task>,
    options?: RunOptions,
  ): Promise<Result[]>;
  /** Terminates the workers; a run in progress fails. May be called again. */
  close(): Promise<void>;
}

/** Sessions of one thread, opened on first use. */
export class JobSessions {
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
