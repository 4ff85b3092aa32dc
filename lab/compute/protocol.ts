/** What the page and its compute worker say to each other. */
import type { LabJobs } from "./jobs.js";

export type JobName = keyof LabJobs;
export type InputOf<N extends JobName> = LabJobs[N]["input"];
export type OutputOf<N extends JobName> = LabJobs[N]["output"];
export type ReportOf<N extends JobName> = LabJobs[N]["report"];

export type ToCompute =
  | { readonly type: "start"; readonly id: number; readonly job: JobName; readonly input: unknown }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "hold"; readonly id: number; readonly isHeld: boolean };

export type FromCompute =
  | { readonly type: "report"; readonly id: number; readonly value: unknown }
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "failed"; readonly id: number; readonly problem: Problem }
  /** Said at once and every quarter of a second, until its own workers are there. */
  | { readonly type: "opening" }
  | { readonly type: "open" }
  /** No job can succeed in this worker. */
  | { readonly type: "lost"; readonly message: string };

/** An error, as plain data. */
export interface Problem {
  /** A sentence for users. */
  readonly message: string;
  readonly isCancelled: boolean;
}
