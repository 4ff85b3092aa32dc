import type { Kernels } from "../kernels/kernels.js";

/**
 * A kind of work that any thread can do: `share` hands over what all tasks of a run have in common
 * (parameters), `perform` does one task. Everything that crosses is plain data: records and typed
 * arrays.
 */
export interface Job<Shared, Task, Result> {
  /** Under this name a worker finds the job in its own copy of the code. */
  readonly name: string;
  open(kernels: Kernels): JobSession<Shared, Task, Result>;
}

export interface JobSession<Shared, Task, Result> {
  share(shared: Shared): void;
  perform(task: Task): JobOutput<Result>;
}

export interface JobOutput<Result> {
  readonly result: Result;
  /** Buffers to move rather than copy to the caller. */
  readonly transfer: readonly ArrayBuffer[];
}

/** One task with the buffers to move rather than copy to the worker. */
export interface JobInput<Task> {
  readonly task: Task;
  readonly transfer: readonly ArrayBuffer[];
}

/**
 * Tasks in their order. An array will do; a list that makes them when they are handed out needs
 * less memory.
 */
export interface TaskList<Task> {
  readonly length: number;
  at(index: number): JobInput<Task> | undefined;
}

export interface RunOptions {
  /** When it aborts, no more tasks are handed out and the run fails with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** After each task, with its index. */
  readonly onTaskDone?: ((index: number) => void) | undefined;
}

/**
 * Who does the tasks: this thread, or a pool of workers. Results come in the order of the tasks.
 */
export interface TaskRunner {
  /** Tasks that run at the same time. */
  readonly size: number;
  /** Kernels for what the caller computes itself between runs. */
  readonly kernels: Kernels;
  /** Whether it was closed, or lost a worker: it computes no more. */
  readonly isClosed?: boolean;
  run<Shared, Task, Result>(
    job: Job<Shared, Task, Result>,
    shared: Shared,
    inputs: TaskList<Task>,
    options?: RunOptions,
  ): Promise<Result[]>;
  /** Ends the workers; a run in progress fails. May be called again. */
  close(): Promise<void>;
}
