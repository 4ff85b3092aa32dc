/**
 * Long work on the calling thread that lets others have their turn: it yields where it may be held,
 * and returns its result.
 */
import { abortError } from "./abort-error.js";
import { pause } from "./pause.js";

export type Work<Result> = Generator<undefined, Result>;

/** Without a pause. */
export function atOnce<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Milliseconds between two pauses: short enough for whoever presses Ctrl-C, or looks at a clock.
 */
const turn = 30;

/**
 * With pauses for timers and messages; ends with the signal's reason when it aborts. The result is
 * the same, bit by bit.
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
