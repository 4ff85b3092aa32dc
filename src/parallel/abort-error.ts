import { GaussianizeError } from "../errors.js";

/** The reason of an abort, which by the standard is an error of the name AbortError. */
export function abortError({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new GaussianizeError(`Aborted: ${String(reason)}.`);
}
