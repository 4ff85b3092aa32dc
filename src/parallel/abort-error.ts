import { GaussianizeError } from "../errors.js";

/** The reason of an abort, which by the standard is an error of the name AbortError. */
export function abortError({ reason }: AbortSignal): Error {
  return reason instanceof Error
    ? reason
    : new GaussianizeError("interrupted", `Aborted: ${String(reason)}.`);
}

/**
 * What is waited for, unless the signal aborts before: nobody then waits any longer, however it
 * ends.
 */
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
