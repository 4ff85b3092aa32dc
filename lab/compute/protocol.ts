/** Messages between the page and its compute worker. */
import type { Failure } from "../../src/errors.js";
import type { JobContext } from "./job.js";
import type { performers } from "./jobs.js";

type Performers = typeof performers;
export type JobName = keyof Performers;
export type InputOf<N extends JobName> = Parameters<Performers[N]>[0];
export type OutputOf<N extends JobName> = Awaited<ReturnType<Performers[N]>>;
export type ReportOf<N extends JobName> = {
  [M in N]: Parameters<Performers[M]>[1] extends JobContext<infer Report> ? Report : never;
}[N];

export type ToCompute =
  | { readonly type: "start"; readonly id: number; readonly job: JobName; readonly input: unknown }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "hold"; readonly id: number; readonly isHeld: boolean };

export type FromCompute =
  | { readonly type: "report"; readonly id: number; readonly value: unknown }
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "failed"; readonly id: number; readonly problem: Problem }
  /** Sent at once and every quarter of a second until the worker's own workers are open. */
  | { readonly type: "opening" }
  | { readonly type: "open" }
  /** No job can succeed in this worker. */
  | { readonly type: "lost"; readonly message: string };

/** An error as plain data, with a message for users. */
export interface Problem extends Failure {
  readonly isCancelled: boolean;
}
