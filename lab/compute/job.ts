/** What a job of the lab is: a function that runs in the compute worker. */
import type { TaskRunner } from "../../src/index.js";

export interface JobContext<Report> {
  /** Workers with the kernels, shared by all jobs. */
  readonly runner: TaskRunner;
  readonly signal: AbortSignal;
  /** Done at once, unless the page holds the job: then when it lets it go on, or cancels it. */
  readonly whileHeld: () => Promise<void>;
  /** Tells the page how far it is; typed arrays are copied. */
  readonly report: (report: Report) => void;
}

/** `input`, `output` and `report` are plain data: records, typed arrays, blobs. */
export interface LabJob<Input, Output, Report = never> {
  readonly input: Input;
  readonly output: Output;
  readonly report: Report;
}

export type Perform<J extends LabJob<unknown, unknown, unknown>> = (
  input: J["input"],
  context: JobContext<J["report"]>,
) => Promise<J["output"]>;
