/** The fits of the panel: started together, held together, shown as often as there is something new and eyes can follow. */
import { type Signal, signal } from "@preact/signals";
import { compute, isCancelled } from "../../compute/compute.js";
import { sentenceOf } from "../../sentence-of.js";
import type { PairFitInput, PairFitResult } from "./fit-pairs-job.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModelName } from "./pair-models.js";

export interface PairFit {
  readonly steps: number;
  /** From the start on; what is shown of a cloud is that of the last one. */
  readonly frames: readonly PairFrame[];
  readonly result: PairFitResult | null;
  readonly status: "running" | "done" | "cancelled" | "failed";
  readonly problem: string | null;
}

export type PairFitMap = ReadonlyMap<PairModelName, PairFit>;

/** In milliseconds. */
const curvesEvery = 700;

export class PairFits {
  readonly shown: Signal<PairFitMap> = signal(new Map());
  /** The same, less often: charts take longer to draw than clouds. */
  readonly inCurves: Signal<PairFitMap> = signal(new Map());
  private curvesAt = 0;
  readonly isHeld = signal(false);
  private now = new Map<PairModelName, PairFit>();
  private controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Milliseconds from one picture to the next. */
  constructor(private readonly interval: () => number) {}

  start(inputs: readonly PairFitInput[]): void {
    if (!this.isRunning) this.isHeld.value = false;
    for (const input of inputs) {
      if (this.now.get(input.model)?.status !== "running") void this.run(input);
    }
  }

  cancel(): void {
    this.controller.abort();
    this.controller = new AbortController();
    this.isHeld.value = false;
  }

  /** Other pairs: nothing that was fitted is about them. */
  clear(): void {
    this.cancel();
    this.now = new Map();
    this.show();
  }

  get isRunning(): boolean {
    return [...this.now.values()].some(({ status }) => status === "running");
  }

  private async run(input: PairFitInput): Promise<void> {
    const { steps, model } = input;
    const { isHeld, controller } = this;
    const { signal: aborts } = controller;
    const empty = { steps, frames: [], result: null, problem: null };
    // Results of a fit that was cleared away belong to nobody.
    const fits = this.now;
    const change = (part: Partial<PairFit>): void => {
      fits.set(model, { ...(fits.get(model) ?? { ...empty, status: "running" }), ...part });
      if (fits === this.now) this.showSoon();
    };
    fits.set(model, { ...empty, status: "running" });
    this.show();
    try {
      const onReport = (frame: PairFrame): void => {
        // Clouds of earlier frames are not shown any more.
        const earlier = (fits.get(model)?.frames ?? []).map((each) => withoutCloud(each));
        change({ frames: [...earlier, frame] });
      };
      const result = await compute("fitPairs", input, { signal: aborts, onReport, isHeld });
      change({ result, status: "done" });
    } catch (error) {
      if (isCancelled(error)) change({ status: "cancelled" });
      else change({ status: "failed", problem: sentenceOf(error) });
    }
    if (fits === this.now) this.show();
  }

  private showSoon(): void {
    this.timer ??= setTimeout(() => {
      this.show();
    }, this.interval());
  }

  private show(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.shown.value = new Map(this.now);
    if (this.isRunning && performance.now() - this.curvesAt < curvesEvery) return;
    this.curvesAt = performance.now();
    this.inCurves.value = this.shown.value;
  }
}

const nothing = new Float32Array(0);

function withoutCloud(frame: PairFrame): PairFrame {
  return frame.y.length === 0 ? frame : { ...frame, y: nothing, contours: "" };
}
