import type { TaskRunner } from "./job.js";

/**
 * The same runner for work that nobody waits for once the signal aborts: no more tasks are begun,
 * so that a thread that does all of them itself is free for what is left to do. Runs that have a
 * signal of their own heed that one alone.
 */
export function runnerUntil(signal: AbortSignal, runner: TaskRunner): TaskRunner {
  return {
    size: runner.size,
    kernels: runner.kernels,
    run: (job, shared, inputs, options) =>
      runner.run(job, shared, inputs, { ...options, signal: options?.signal ?? signal }),
    close: () => runner.close(),
  };
}
