/** The fit of the panel. It goes on while other panels are open; whoever leaves the page with an unsaved one is asked. */
import { type Signal, effect, signal } from "@preact/signals";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";
import type { Bitmap } from "../../components/bitmap.js";
import { compute, isCancelled } from "../../compute/compute.js";
import { sentenceOf } from "../../sentence-of.js";
import type {
  KeptFile,
  PictureCounts,
  TrainInput,
  TrainPhase,
  TrainReport,
  Trained,
} from "./train-job.js";

export interface TrainingView {
  readonly status: "running" | "stopped" | "done" | "failed";
  readonly terms: FitTerms;
  /** To go on after it was stopped. */
  readonly pictures: readonly File[];
  readonly phase: TrainPhase;
  /** Steps taken. */
  readonly step: number;
  readonly stepsPerSecond: number;
  readonly rejectedSteps: number;
  /** Null before the first step. */
  readonly counts: PictureCounts | null;
  readonly filters: { readonly step: number; readonly bitmap: Bitmap } | null;
  /** Why pictures were left out. */
  readonly skipped: readonly string[];
  readonly problem: string | null;
  readonly result: Trained | null;
  /** The model, when it is done or stopped. */
  readonly file: File | null;
  readonly isSaved: boolean;
}

const question = "The last fit was not downloaded. Begin another, and lose what it has found?";

/** Milliseconds from one chart to the next. */
const curvesEvery = 700;

export class Training {
  readonly view: Signal<TrainingView | null> = signal(null);
  /** Less often: charts take longer to draw. */
  readonly records: Signal<readonly MetricsRecord[]> = signal([]);
  readonly isHeld = signal(false);
  private recordsNow: readonly MetricsRecord[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private controller = new AbortController();

  constructor() {
    const ask = (event: BeforeUnloadEvent): void => {
      event.preventDefault();
    };
    effect(() => {
      if (this.isUnsaved) addEventListener("beforeunload", ask);
      else removeEventListener("beforeunload", ask);
    });
  }

  get isRunning(): boolean {
    return this.view.value?.status === "running";
  }

  /** Steps were taken that are nowhere else. */
  get isUnsaved(): boolean {
    const view = this.view.value;
    if (!view || view.isSaved) return false;
    return view.status === "running" || view.step > 0;
  }

  /** It was stopped after steps that can be gone on with. */
  get canGoOn(): boolean {
    const view = this.view.value;
    return view?.status === "stopped" && view.step > 0;
  }

  /** Asks before a fit is lost. */
  mayReplace(): boolean {
    return !this.isUnsaved || confirm(question);
  }

  async start(input: TrainInput): Promise<void> {
    if (this.isRunning) return;
    const { terms, pictures, from } = input;
    this.isHeld.value = false;
    this.controller = new AbortController();
    const before = from === "where it was" ? this.view.value : null;
    if (!before) this.setRecords([]);
    this.view.value = {
      ...(before ?? emptyView),
      ...{ status: "running", phase: "opening", terms, pictures },
      ...{ skipped: [], problem: null, file: null, isSaved: false },
    };
    try {
      const { signal: aborts } = this.controller;
      const onReport = (report: TrainReport): void => {
        this.hear(report);
      };
      const result = await compute("train", input, {
        signal: aborts,
        onReport,
        isHeld: this.isHeld,
      });
      const file = new File([result.modelFile], "model.safetensors");
      const { problem, steps: step } = result;
      this.change({ status: problem === null ? "done" : "failed", problem, result, step, file });
    } catch (error) {
      if (isCancelled(error)) await this.showStopped();
      else this.change({ status: "failed", problem: sentenceOf(error) });
    }
    this.setRecords(this.recordsNow);
  }

  /** What it has found so far is kept. */
  stop(): void {
    this.controller.abort();
    this.isHeld.value = false;
  }

  /** From where it was stopped. */
  goOn(): void {
    const view = this.view.value;
    if (!view || !this.canGoOn) return;
    void this.start({ pictures: view.pictures, terms: view.terms, from: "where it was" });
  }

  /** As it is now; null where it cannot be had, and the view says why. */
  async keep(what: "model" | "checkpoint"): Promise<KeptFile | null> {
    const { status, result } = this.view.value ?? {};
    if (what === "model" && status !== "running" && result) {
      return { step: result.steps, bytes: result.modelFile };
    }
    try {
      const kept = await compute("keepTraining", { what });
      if (!kept) this.change({ problem: "There is nothing of this fit to download." });
      return kept;
    } catch (error) {
      this.change({ problem: sentenceOf(error) });
      return null;
    }
  }

  markSaved(): void {
    // While it goes on, what was saved is soon old.
    if (!this.isRunning) this.change({ isSaved: true });
  }

  closeProblem(): void {
    this.change({ problem: null });
  }

  closeSkipped(reason: string): void {
    const skipped = this.view.value?.skipped ?? [];
    this.change({ skipped: skipped.filter((other) => other !== reason) });
  }

  private async showStopped(): Promise<void> {
    // Without a step of its own, the worker may still have another fit, or never have heard of this one.
    if (this.view.value?.step === 0) {
      this.change({ status: "stopped" });
      return;
    }
    try {
      const kept = await compute("keepTraining", { what: "model" });
      const file = kept && new File([kept.bytes], "model.safetensors");
      this.change({ status: "stopped", step: kept?.step ?? 0, file });
    } catch (error) {
      this.change({ status: "failed", problem: sentenceOf(error) });
    }
  }

  private hear(report: TrainReport): void {
    switch (report.kind) {
      case "phase":
        this.change({ phase: report.phase });
        break;
      case "skipped":
        this.change({ skipped: [...(this.view.value?.skipped ?? []), report.reason] });
        break;
      case "pictures":
        this.change({ counts: report });
        break;
      case "filters":
        this.change({ filters: report });
        break;
      case "progress": {
        const { step, stepsPerSecond, rejectedSteps, records } = report;
        this.recordsNow = [...this.recordsNow, ...records];
        this.change({ step, stepsPerSecond, rejectedSteps });
        // The first ones at once.
        const pause = this.records.peek().length === 0 ? 0 : curvesEvery;
        this.timer ??= setTimeout(() => {
          this.setRecords(this.recordsNow);
        }, pause);
      }
    }
  }

  private setRecords(records: readonly MetricsRecord[]): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.recordsNow = records;
    this.records.value = records;
  }

  private change(part: Partial<TrainingView>): void {
    if (this.view.value) this.view.value = { ...this.view.value, ...part };
  }
}

const emptyView = {
  ...{ step: 0, stepsPerSecond: 0, rejectedSteps: 0 },
  ...{ counts: null, filters: null, result: null },
} as const;
