/** The fit of the panel. It continues while other panels are open. */
import { type ReadonlySignal, type Signal, computed, effect, signal } from "@preact/signals";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";
import { compute } from "../../compute/compute.js";
import { isCancelled, sentenceOf } from "../../problem.js";
import { Task, type TaskOptions, type TaskState } from "../../task.js";
import { type FilterHistory, withFilters } from "./filter-history.js";
import type { FitFacts, KeptFile, TrainInput, TrainReport, Trained } from "./train-job.js";

export interface TrainingView extends FitSoFar {
  readonly status: "running" | "stopped" | "done" | "failed";
  readonly result: Trained | null;
}

/** A fit as its reports describe it. */
interface FitSoFar extends FitFacts {
  readonly terms: FitTerms;
  readonly pictures: readonly File[];
  /** Messages about skipped pictures. */
  readonly skipped: readonly string[];
  /** Null after it was closed. */
  readonly problem: string | null;
  /** Model file of a fit that is done or stopped. */
  readonly file: File | null;
  readonly isSaved: boolean;
}

const question = "The last fit was not downloaded. Start another fit and lose it?";

/** Milliseconds between two updates of the chart, and between two looks at the model. */
const curvesEvery = 700;
const lookEvery = 5000;

export class Training {
  /** Null before the first fit. */
  readonly view: ReadonlySignal<TrainingView | null> = computed(() => {
    const fit = this.fit.value;
    return fit && { ...fit, ...endOf(this.task.state.value) };
  });
  /** Records for the chart. They change less often, because charts are slow to draw. */
  readonly records: Signal<readonly MetricsRecord[]> = signal([]);
  private readonly task = new Task<TrainInput, Trained, TrainReport>((input, options) =>
    this.train(input, options),
  );
  readonly isHeld = this.task.isHeld;
  /** Filters from the first step to the latest. */
  readonly history: Signal<FilterHistory> = signal([]);
  /** Model of the running fit, from a while ago; null before the first and after the fit. */
  readonly modelSoFar: Signal<{ readonly step: number; readonly file: File } | null> = signal(null);
  private lookedAt = -Infinity;
  private readonly fit: Signal<FitSoFar | null> = signal(null);
  private recordsNow: readonly MetricsRecord[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Makes the browser ask before it leaves the page with an unsaved fit. */
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
    return this.task.isRunning;
  }

  get isUnsaved(): boolean {
    const view = this.view.value;
    if (!view || view.isSaved) return false;
    return view.status === "running" || view.step > 0;
  }

  /** Whether the fit was stopped after its first step. */
  get canResume(): boolean {
    const view = this.view.value;
    return view?.status === "stopped" && view.step > 0;
  }

  /** Asks the user before an unsaved fit is lost. */
  mayReplace(): boolean {
    return !this.isUnsaved || confirm(question);
  }

  async start(input: TrainInput): Promise<void> {
    if (this.isRunning) return;
    const { terms, pictures, from } = input;
    this.isHeld.value = false;
    const before = from === "where it was" ? this.fit.value : null;
    if (!before) this.setRecords([]);
    if (!before) this.history.value = [];
    this.modelSoFar.value = null;
    this.fit.value = {
      ...(before ?? nothingYet),
      phase: "opening",
      terms,
      pictures,
      skipped: [],
      problem: null,
      file: null,
      isSaved: false,
    };
    const ended = await this.task.start(input);
    if (ended.status === "failed") this.change({ problem: ended.problem });
    this.setRecords(this.recordsNow);
  }

  /** Ends the fit and keeps its state. */
  readonly stop = (): void => {
    this.task.stop();
  };

  readonly pauseOrContinue = (): void => {
    this.isHeld.value = !this.isHeld.value;
  };

  /** Resumes a stopped fit. */
  readonly resume = (): void => {
    const view = this.view.value;
    if (!view || !this.canResume) return;
    void this.start({ pictures: view.pictures, terms: view.terms, from: "where it was" });
  };

  /** Returns the current model or checkpoint; null after a problem, which the view shows. */
  async keep(what: "model" | "checkpoint"): Promise<KeptFile | null> {
    const { result } = this.view.value ?? {};
    if (what === "model" && result) return { step: result.steps, bytes: result.modelFile };
    try {
      const kept = await compute("keepTraining", { what });
      if (!kept) this.change({ problem: "There is nothing to download yet." });
      return kept;
    } catch (error) {
      this.change({ problem: sentenceOf(error) });
      return null;
    }
  }

  /** A running fit stays unsaved, because it soon has more steps than the file. */
  markSaved(): void {
    if (!this.isRunning) this.change({ isSaved: true });
  }

  readonly closeProblem = (): void => {
    this.change({ problem: null });
  };

  readonly closeSkipped = (message: string): void => {
    const skipped = this.fit.value?.skipped ?? [];
    this.change({ skipped: skipped.filter((other) => other !== message) });
  };

  private async train(input: TrainInput, options: TaskOptions<TrainReport>): Promise<Trained> {
    const onReport = (report: TrainReport): void => {
      this.hear(report);
    };
    try {
      const result = await compute("train", input, { ...options, onReport });
      this.change({ problem: result.problem, step: result.steps, file: fileOf(result.modelFile) });
      return result;
    } catch (error) {
      if (isCancelled(error)) await this.keepStopped();
      throw error;
    }
  }

  /**
   * Fetches the model of the running fit, to show its samples; not more often than every few
   * seconds, because samples take time from the fit.
   */
  readonly lookAtModel = async (): Promise<void> => {
    const now = performance.now();
    if (!this.isRunning || now - this.lookedAt < lookEvery) return;
    this.lookedAt = now;
    // A failure would also end the fit, which reports it.
    const kept = await compute("keepTraining", { what: "model" }).catch(() => null);
    if (kept && this.view.value?.status === "running") {
      this.modelSoFar.value = { step: kept.step, file: fileOf(kept.bytes) };
    }
  };

  private async keepStopped(): Promise<void> {
    // Before its first step, the worker may still hold the previous fit.
    if (this.fit.value?.step === 0) return;
    const kept = await compute("keepTraining", { what: "model" });
    this.change({ step: kept?.step ?? 0, file: kept && fileOf(kept.bytes) });
  }

  private hear({ records = [], skipped, ...facts }: TrainReport): void {
    this.change(facts);
    const { filters } = facts;
    if (filters) {
      this.history.value = withFilters(this.history.peek(), filters.step, filters.bitmap);
    }
    if (skipped !== undefined) {
      this.change({ skipped: [...(this.fit.value?.skipped ?? []), `Skipped: ${skipped}`] });
    }
    if (records.length === 0) return;
    this.recordsNow = [...this.recordsNow, ...records];
    // The first records are drawn at once.
    const pause = this.records.peek().length === 0 ? 0 : curvesEvery;
    this.timer ??= setTimeout(() => {
      this.setRecords(this.recordsNow);
    }, pause);
  }

  private setRecords(records: readonly MetricsRecord[]): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.recordsNow = records;
    this.records.value = records;
  }

  private change(part: Partial<FitSoFar>): void {
    if (this.fit.value) this.fit.value = { ...this.fit.value, ...part };
  }
}

const nothingYet = {
  step: 0,
  stepsPerSecond: 0,
  rejectedSteps: 0,
  counts: null,
  filters: null,
} as const;

/** A fit that found itself failing returns its last good model; other failures have none. */
function endOf(state: TaskState<Trained>): Pick<TrainingView, "status" | "result"> {
  switch (state.status) {
    case "done":
      return { status: state.output.problem === null ? "done" : "failed", result: state.output };
    case "failed":
      return { status: "failed", result: null };
    case "cancelled":
      return { status: "stopped", result: null };
    case "idle":
    case "running":
      return { status: "running", result: null };
  }
}

function fileOf(modelFile: Uint8Array<ArrayBuffer>): File {
  return new File([modelFile], "model.safetensors");
}
