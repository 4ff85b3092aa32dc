/** Types of a job: a function that runs in the compute worker. */
import type { TaskRunner } from "../../src/parallel/job.js";

export interface JobContext<Report> {
  /** Kernel workers, shared by all jobs. */
  readonly runner: TaskRunner;
  readonly signal: AbortSignal;
  /** Waits while the page holds the job. */
  readonly whileHeld: () => Promise<void>;
  /** Sends progress to the page; typed arrays are copied. */
  readonly report: (report: Report) => void;
}

/** Input, output and reports are plain data: records, typed arrays and blobs. */
export type Job<Input, Output, Report = never> = (
  input: Input,
  context: JobContext<Report>,
) => Promise<Output>;
