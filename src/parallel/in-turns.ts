import { abortError } from "./abort-error.js";

/** Long computation that yields wherever it may be interrupted, and returns its result. */
export type Work<Result> = Generator<undefined, Result>;

/** Runs without pauses. */
export function atOnce<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Milliseconds between two pauses: short enough to react to Ctrl-C and to show progress. */
const turn = 30;

/**
 * Runs with pauses for timers and messages; rejects with the signal's reason if it aborts. The
 * result is bit-identical.
 */
export async function inTurns<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - began < turn) continue;
    await pause();
    if (signal?.aborted) throw abortError(signal);
    began = performance.now();
  }
}

/** Waits until timers, messages and input have been handled. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
