/** Types of a job of the lab: a function that runs in the compute worker. */
import type { TaskRunner } from "../../src/parallel/job.js";

export interface JobContext<Report> {
  /** Workers with the kernels, shared by all jobs. */
  readonly runner: TaskRunner;
  readonly signal: AbortSignal;
  /** Done at once, unless the page holds the job: then when it lets it go on, or cancels it. */
  readonly whileHeld: () => Promise<void>;
  /** Tells the page how far it is; typed arrays are copied. */
  readonly report: (report: Report) => void;
}

/** Input, output and reports are plain data: records, typed arrays, blobs. */
export type Job<Input, Output, Report = never> = (
  input: Input,
  context: JobContext<Report>,
) => Promise<Output>;
