/** Watches a running fit: draws the progress line and records metrics for the folder of the run. */
import type { JsonObject } from "../../src/density/model-files/json.js";
import { thousands, withMinus } from "../../src/numbers/format-number.js";
import { cascadeGeometry } from "../../src/training/cascade-geometry.js";
import { cascadeWork } from "../../src/training/cascade-work.js";
import type { FitProgress } from "../../src/training/image-fit.js";
import { MeanFigures, stepsOfRecord } from "../../src/runs/run-metrics.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import type { FitConfig } from "./config.js";
import { Progress, clearLine } from "../progress.js";
import { counted } from "../text.js";

const phases = {
  images: "reading images",
  preprocessing: "fitting the nonlinearity",
  whitening: "whitening",
  blocks: "fitting single blocks",
  fit: "fitting",
} as const;

/** A log names only phases that take longer than this. */
const millisecondsUntilNamed = 2000;

export class FitWatch {
  private cancelAnnouncement: (() => void) | undefined;
  private readonly start: number;
  private readonly every: number;
  private blocks: Progress | undefined;
  private progress: Progress | undefined;
  private readonly pending: JsonObject[] = [];
  /** Means over the steps since the last record. */
  private readonly means = new MeanFigures();
  /** Statistics of the estimated gradient of the last step. */
  private estimate: FitProgress["estimate"];
  /** Smallest singular value of convolutions since the last record. */
  private leastSingularValue = Infinity;
  private lastRecord: number;
  /** ΔJ of training and held-out samples, as the progress line shows them. */
  private latest = "";
  private validated = "";
  private stepsDone = 0;
  private fitStart = 0;
  /** Seconds of earlier commands of the run. */
  private secondsBefore = 0;

  constructor(
    private readonly run: RunFolder,
    private readonly config: FitConfig,
    private readonly effects: Effects,
  ) {
    this.start = effects.now();
    this.lastRecord = this.start;
    this.every = stepsOfRecord(config.steps);
  }

  enter(phase: keyof typeof phases): void {
    this.cancelAnnouncement?.();
    const { stderr } = this.effects;
    if (stderr.isTerminal) stderr.write(`\r${phases[phase]} …\u001b[K`);
    else if (phase !== "fit") {
      this.cancelAnnouncement = this.effects.later(millisecondsUntilNamed, () => {
        stderr.write(`${phases[phase]} …\n`);
      });
    }
  }

  /** Begins the steps; `kept` are the records of a resumed run, the last one first. */
  beginAt(step: number, kept: readonly JsonObject[]): void {
    this.secondsBefore = Number(kept.find(({ seconds }) => seconds !== undefined)?.seconds ?? 0);
    this.fitStart = this.effects.now();
    clearLine(this.effects);
    this.lastRecord = this.fitStart;
    const { restarts = [], steps } = this.config;
    this.progress = new Progress(this.effects, "fit", steps, {
      from: step,
      ...workOf(this.config),
    });
    const extendedFrom = restarts.at(-1) ?? 0;
    if (step > extendedFrom) {
      this.effects.stderr.write(`Resuming after ${counted(step, "step")}.\n`);
    } else if (extendedFrom > 0) {
      this.effects.stderr.write(
        `Extending the fit from ${thousands(extendedFrom)} to ${thousands(steps)} steps.\n`,
      );
    }
  }

  blockStep(done: number, steps: number): void {
    this.blocks ??= new Progress(this.effects, "single blocks", steps, { unit: "steps" });
    this.blocks.report(done);
  }

  step(progress: FitProgress): void {
    const { step, negentropyDifferencePerDimension, smallestSingularValue = Infinity } = progress;
    this.estimate = progress.estimate;
    this.leastSingularValue = Math.min(this.leastSingularValue, smallestSingularValue);
    this.means.add(progress);
    const done = step + 1;
    if (done % this.every === 0) this.record(done);
    else if (this.latest === "") this.latest = differenceText(negentropyDifferencePerDimension);
    this.stepsDone++;
    const seconds = (this.effects.now() - this.fitStart) / 1000;
    const rate = Math.round((this.stepsDone * this.config.batch) / seconds);
    const unit = this.config.cascade === undefined ? "patches" : "locations";
    this.progress?.report(
      done,
      `ΔJ ${this.latest} nats per pixel${this.validated}, ${thousands(rate)} ${unit}/s`,
    );
  }

  validate({ step, meanLogProb, negentropyDifferencePerDimension: difference }: FitProgress): void {
    this.validated = ` (held out ${differenceText(difference)})`;
    this.pending.push({
      step,
      heldOut: { meanLogProb, negentropyDifferencePerDimension: difference },
    });
  }

  /** Writes the records; before each checkpoint, so that they reach at least as far. */
  async flush(): Promise<void> {
    for (const record of this.pending.splice(0)) await this.run.appendMetrics(record);
  }

  /** Returns the seconds of this command, and those of all commands of the run. */
  finish(): { readonly secondsOfCommand: number; readonly seconds: number } {
    this.cancelAnnouncement?.();
    this.progress?.finish();
    clearLine(this.effects);
    const secondsOfCommand = (this.effects.now() - this.start) / 1000;
    return { secondsOfCommand, seconds: this.secondsBefore + secondsOfCommand };
  }

  private record(step: number): void {
    const seconds = (this.effects.now() - this.lastRecord) / 1000;
    const rate = Math.round((this.means.steps * this.config.batch) / seconds);
    const figures = this.means.take();
    this.latest = differenceText(figures.negentropyDifferencePerDimension);
    this.pending.push({
      step,
      ...figures,
      ...(this.leastSingularValue < Infinity && { smallestSingularValue: this.leastSingularValue }),
      ...(this.estimate && { gradientEstimate: { ...this.estimate } }),
      samplesPerSecond: rate,
      seconds: this.secondsBefore + (this.effects.now() - this.start) / 1000,
    });
    this.leastSingularValue = Infinity;
    this.lastRecord = this.effects.now();
  }
}

/** Returns the work of the steps of a cascade; the steps of other fits take equal times. */
function workOf({ cascade, stages = 2, batch, steps, greedy, restarts }: FitConfig) {
  if (cascade === undefined) return {};
  const geometry = cascadeGeometry(cascade, { stages: stages as 1 | 2 });
  return { workOf: cascadeWork({ geometry, steps, batch, greedy, restarts }) };
}

/** Formats ΔJ with a fixed number of digits, so that the line does not jump. */
function differenceText(value: number): string {
  return withMinus(value.toFixed(3));
}
