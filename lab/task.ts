/**
 * State of background work that the page shows:
 *
 *   idle → running → done | failed | cancelled
 *
 * Starting again replaces the running work. Results of replaced, cancelled or reset work are
 * ignored.
 */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isCancelled, sentenceOf } from "./problem.js";

export type TaskState<Output, Report = unknown> =
  | { readonly status: "idle" }
  | {
      readonly status: "running";
      /** Latest report. */
      readonly report: Report | null;
      /** Time from the start to the report. */
      readonly seconds: number;
    }
  | { readonly status: "done"; readonly output: Output }
  | { readonly status: "failed"; readonly problem: string }
  | { readonly status: "cancelled" };

export interface TaskOptions<Report> {
  readonly signal: AbortSignal;
  readonly onReport: (report: Report) => void;
  /** While true, work that checks it between its steps waits. */
  readonly isHeld: ReadonlySignal<boolean>;
}

export type Work<Input, Output, Report> = (
  input: Input,
  options: TaskOptions<Report>,
) => Promise<Output>;

export class Task<Input, Output, Report = unknown> {
  readonly state: Signal<TaskState<Output, Report>> = signal({ status: "idle" });
  private controller: AbortController | null = null;

  /** Tasks that are held together share `isHeld`. */
  constructor(
    private readonly work: Work<Input, Output, Report>,
    readonly isHeld: Signal<boolean> = signal(false),
  ) {}

  get isRunning(): boolean {
    return this.state.value.status === "running";
  }

  /** Runs the work and returns its final state; replaced work counts as cancelled. */
  async start(input: Input): Promise<TaskState<Output, Report>> {
    this.controller?.abort();
    const controller = new AbortController();
    const { signal: aborts } = controller;
    this.controller = controller;
    const begin = performance.now();
    const tell = (state: TaskState<Output, Report>): TaskState<Output, Report> => {
      if (this.controller !== controller) return { status: "cancelled" };
      this.state.value = state;
      return state;
    };
    const onReport = (report: Report): void => {
      if (aborts.aborted) return;
      tell({ status: "running", report, seconds: (performance.now() - begin) / 1000 });
    };
    tell({ status: "running", report: null, seconds: 0 });
    try {
      const output = await this.work(input, { signal: aborts, onReport, isHeld: this.isHeld });
      return tell({ status: "done", output });
    } catch (error) {
      if (isCancelled(error)) return tell({ status: "cancelled" });
      return tell({ status: "failed", problem: sentenceOf(error) });
    }
  }

  /** Asks the work to end. The state changes when it has ended. */
  stop(): void {
    this.controller?.abort();
    this.isHeld.value = false;
  }

  /** Sets the state to cancelled at once, without waiting for the work to end. */
  cancel(): void {
    if (this.isRunning) this.leave({ status: "cancelled" });
  }

  /** Discards the work and its result. */
  reset(): void {
    this.leave({ status: "idle" });
  }

  private leave(state: TaskState<Output, Report>): void {
    this.stop();
    this.controller = null;
    this.state.value = state;
  }
}
