import { GaussianizeError } from "../errors.js";
import type { TaskRunner } from "./job.js";

/** Returns the reason of an aborted signal as an error. */
export function abortError({ reason }: AbortSignal): Error {
  return reason instanceof Error
    ? reason
    : new GaussianizeError("interrupted", `Aborted: ${String(reason)}.`);
}

/** Waits for a promise, but rejects as soon as the signal aborts. */
export function unlessAborted<Result>(
  waited: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(abortError(signal));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    waited.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", onAbort);
    });
  });
}

/**
 * Returns the same runner, but its runs are cancelled when the signal aborts. Runs with a signal of
 * their own use only that one.
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
