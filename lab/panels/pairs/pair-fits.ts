/**
 * The fits of the panel: started together, held together, shown as often as there is something new
 * and eyes can follow.
 */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { Task, type TaskState } from "../../task.js";
import type { PairFitInput, PairFitResult } from "./fit-pairs-job.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModelName } from "./pair-models.js";
import { type PairSource, keyOf } from "./pair-source.js";

export interface PairFit {
  readonly steps: number;
  /** From the start on; only the last one has its cloud. */
  readonly frames: readonly PairFrame[];
  readonly state: TaskState<PairFitResult, PairFrame>;
}

export type PairFitMap = ReadonlyMap<PairModelName, PairFit>;

export function resultOf(fit: PairFit | undefined): PairFitResult | null {
  return fit?.state.status === "done" ? fit.state.output : null;
}

/** In milliseconds. */
const curvesEvery = 700;

/** Fits of the pairs of a source; those of another one are cancelled. */
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
  /** The same, less often: charts take longer to draw than clouds. */
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

  /** Forgets all fits: they are not about the pairs that are shown now. */
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
      if (frame) frames = [...frames.map(withoutCloud), frame];
      this.now.set(model, { steps, frames, state });
      if (frame) this.showSoon();
      else this.show();
    });
  }

  private showSoon(): void {
    this.timer ??= setTimeout(() => {
      this.show();
    }, pictureInterval());
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
 * Milliseconds from one picture of a fit to the next: five pictures in a second move, one in two
 * seconds does not. Asked for each picture, because the preference may change while fits run.
 */
function pictureInterval(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 200;
}

const nothing = new Float32Array(0);

function withoutCloud(frame: PairFrame): PairFrame {
  return frame.y.length === 0 ? frame : { ...frame, y: nothing, contours: "" };
}
