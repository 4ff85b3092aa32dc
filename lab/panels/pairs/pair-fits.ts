/** The fits of the panel: started and paused together, redrawn at a pace that eyes can follow. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { Task, type TaskState } from "../../task.js";
import type { PairFitInput, PairFitResult } from "./pairs-jobs.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModelName } from "./pair-models.js";
import { type PairSource, keyOf } from "./pair-source.js";

export interface PairFit {
  readonly steps: number;
  /** All frames so far; only the last one keeps its points and contours. */
  readonly frames: readonly PairFrame[];
  readonly state: TaskState<PairFitResult, PairFrame>;
}

export type PairFitMap = ReadonlyMap<PairModelName, PairFit>;

export function resultOf(fit: PairFit | undefined): PairFitResult | null {
  return fit?.state.status === "done" ? fit.state.output : null;
}

/** Interval between redraws of the curves, in milliseconds. */
const curvesEvery = 700;

/** Returns the fits for a source. Another source cancels them. */
export function usePairFits(source: PairSource | null): PairFits {
  const fits = useMemo(() => new PairFits(), []);
  const key = source && keyOf(source);
  useEffect(
    () => () => {
      fits.clear();
    },
    [fits, key],
  );
  return fits;
}

export class PairFits {
  readonly shown: Signal<PairFitMap> = signal(new Map());
  /** The same, updated less often: charts are slower to draw than points. */
  readonly inCurves: Signal<PairFitMap> = signal(new Map());
  readonly isHeld = signal(false);
  private tasks = new Map<PairModelName, Task<PairFitInput, PairFitResult, PairFrame>>();
  private now = new Map<PairModelName, PairFit>();
  private curvesAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  get isRunning(): boolean {
    return [...this.tasks.values()].some(({ isRunning }) => isRunning);
  }

  start(inputs: readonly PairFitInput[]): void {
    if (!this.isRunning) this.isHeld.value = false;
    for (const input of inputs) {
      if (!this.tasks.get(input.model)?.isRunning) this.fit(input);
    }
  }

  cancel(): void {
    for (const task of this.tasks.values()) task.cancel();
  }

  /** Cancels and forgets all fits. */
  clear(): void {
    const tasks = [...this.tasks.values()];
    this.tasks = new Map();
    this.now = new Map();
    for (const task of tasks) task.reset();
    this.show();
  }

  private fit(input: PairFitInput): void {
    const { steps, model } = input;
    const task = new Task<PairFitInput, PairFitResult, PairFrame>(
      (given, options) => compute("fitPairs", given, options),
      this.isHeld,
    );
    this.tasks.set(model, task);
    let frames: readonly PairFrame[] = [];
    void task.start(input);
    task.state.subscribe((state) => {
      if (this.tasks.get(model) !== task) return;
      const frame = state.status === "running" ? state.report : null;
      if (frame) frames = [...frames.map(withoutPoints), frame];
      this.now.set(model, { steps, frames, state });
      if (frame) this.showSoon();
      else this.show();
    });
  }

  private showSoon(): void {
    this.timer ??= setTimeout(() => {
      this.show();
    }, frameInterval());
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

/**
 * Milliseconds between two frames: five frames per second look like motion, one every two seconds
 * does not. Read for each frame, because the preference may change during a fit.
 */
function frameInterval(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 200;
}

const nothing = new Float32Array(0);

/** Frees the large parts of an earlier frame. */
function withoutPoints(frame: PairFrame): PairFrame {
  return frame.y.length === 0 ? frame : { ...frame, y: nothing, contours: "" };
}
