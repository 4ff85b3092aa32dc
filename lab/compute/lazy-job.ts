/** Jobs whose code is loaded when they first run, so that a page opens without that of others. */
import { GaussianizeError } from "../../src/errors.js";
import type { Job } from "./job.js";

/** The code of a job could not be loaded. Browsers do not request failed code twice. */
export class MissingCodeError extends GaussianizeError {
  constructor(cause: unknown) {
    super("network-failed", "This part of the page could not be loaded. Is the server running?", {
      cause,
    });
  }
}

export function lazyJob<Input, Output, Report>(
  load: () => Promise<Job<Input, Output, Report>>,
): Job<Input, Output, Report> {
  return async (input, context) => {
    const perform = await load().catch((error: unknown) => {
      throw new MissingCodeError(error);
    });
    context.signal.throwIfAborted();
    return perform(input, context);
  };
}
