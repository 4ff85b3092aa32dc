import { GaussianizeError } from "../errors.js";
import type { Kernels } from "../kernels/kernels.js";
import { abortError } from "./abort-error.js";
import { pause } from "./in-turns.js";
import {
  type Job,
  type JobInput,
  JobSessions,
  type RunOptions,
  type TaskList,
  type TaskRunner,
} from "./job.js";

/** Longest time between two pauses, in milliseconds. */
const longestWithoutPause = 50;

/**
 * Runs all tasks in this thread, for small problems and platforms without workers.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { score } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels({ kernels: "reference" })).kernels);
 * const normal = affine({ dimension: 1 });
 * console.log((await score(runner, normal, Float64Array.of(3))).score); // [ -3 ]
 * ```
 */
export class InlineRunner implements TaskRunner {
  readonly size = 1;
  private readonly sessions: JobSessions;
  private closed = false;
  private lastPause = performance.now();
  /** Last run: runs are sequential, although they pause between tasks. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(readonly kernels: Kernels) {
    this.sessions = new JobSessions(kernels);
  }

  get isClosed(): boolean {
    return this.closed;
  }

  run<Shared, Task, Result>(
    job: Job<Shared, Task, Result>,
    shared: Shared,
    inputs: TaskList<Task>,
    options: RunOptions = {},
  ): Promise<Result[]> {
    const running = this.last.then(() => this.perform(job, shared, inputs, options));
    this.last = running.catch(() => undefined);
    return running;
  }

  close(): Promise<void> {
    this.closed = true;
    this.sessions.clear();
    return Promise.resolve();
  }

  private async perform<Shared, Task, Result>(
    job: Job<Shared, Task, Result>,
    shared: Shared,
    inputs: TaskList<Task>,
    { signal, onTaskDone }: RunOptions,
  ): Promise<Result[]> {
    this.requireOpen();
    if (signal?.aborted) throw abortError(signal);
    const session = this.sessions.of(job);
    session.share(shared);
    const results: Result[] = [];
    for (let index = 0; index < inputs.length; index++) {
      // Lets others abort, close or draw, also between the runs of a fit.
      if (index > 0 || performance.now() - this.lastPause > longestWithoutPause) {
        await pause();
        this.lastPause = performance.now();
        this.requireOpen();
        if (signal?.aborted) throw abortError(signal);
      }
      const { task } = inputs.at(index) as JobInput<Task>;
      results.push(session.perform(task).result);
      onTaskDone?.(index);
    }
    if (signal?.aborted) throw abortError(signal);
    return results;
  }

  private requireOpen(): void {
    if (this.closed) throw new GaussianizeError("interrupted", "This runner was closed.");
  }
}
