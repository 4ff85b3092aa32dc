/** What a user sees of a fit while it runs, and what the folder of the run keeps of it. */
import type { JsonObject } from "../../src/density/model-files/json.js";
import { thousands, withMinus } from "../../src/numbers/format-number.js";
import type { FitProgress } from "../../src/training/image-fit.js";
import { MeanFigures, stepsOfRecord } from "../../src/runs/run-metrics.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import type { FitConfig } from "./config.js";
import { Progress } from "../progress.js";

const phases = {
  images: "reading images",
  preprocessing: "fitting the nonlinearity",
  whitening: "whitening",
  fit: "fitting",
} as const;

const millisecondsUntilTold = 2000;

export class FitWatch {
  private cancelAnnouncement: (() => void) | undefined;
  private readonly start: number;
  private readonly every: number;
  private progress: Progress | undefined;
  private readonly pending: JsonObject[] = [];
  /** Of the steps since the last record. */
  private readonly means = new MeanFigures();
  /** Of convolutions, since the last record. */
  private leastSingularValue = Infinity;
  private lastRecord: number;
  /** As the progress line shows it. */
  private latest = "";
  private validated = "";
  private stepsDone = 0;
  private fitStart = 0;
  /** Of a run that is gone on with. */
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
      // A log is told only what takes its time.
      this.cancelAnnouncement = this.effects.later(millisecondsUntilTold, () => {
        stderr.write(`${phases[phase]} …\n`);
      });
    }
  }

  /** `kept` are the records of before, the last one first. */
  beginAt(step: number, kept: readonly JsonObject[]): void {
    this.secondsBefore = Number(kept.find(({ seconds }) => seconds !== undefined)?.seconds ?? 0);
    this.fitStart = this.effects.now();
    this.clearLine();
    this.lastRecord = this.fitStart;
    this.progress = new Progress(this.effects, "fit", this.config.steps, step);
    const { restarts = [], steps } = this.config;
    const extendedFrom = restarts.at(-1) ?? 0;
    if (step > extendedFrom) {
      this.effects.stderr.write(`Resuming after ${thousands(step)} steps.\n`);
    } else if (extendedFrom > 0) {
      this.effects.stderr.write(
        `Extending the fit from ${thousands(extendedFrom)} to ${thousands(steps)} steps.\n`,
      );
    }
  }

  step(progress: FitProgress): void {
    const { step, meanLogProb, negentropyDifferencePerDimension: difference } = progress;
    const { smallestSingularValue = Infinity } = progress;
    this.leastSingularValue = Math.min(this.leastSingularValue, smallestSingularValue);
    this.means.add(progress);
    const done = step + 1;
    if (done % this.every === 0) this.record(done);
    else if (this.latest === "") this.latest = this.figures(meanLogProb, difference);
    this.stepsDone++;
    const seconds = (this.effects.now() - this.fitStart) / 1000;
    const rate = Math.round((this.stepsDone * this.config.batch) / seconds);
    this.progress?.report(
      done,
      `${this.latest}${this.validated}, ${thousands(rate)} ${this.unit}/s`,
    );
  }

  validate({ step, meanLogProb, negentropyDifferencePerDimension: difference }: FitProgress): void {
    this.validated = ` (held out ${signed(difference)})`;
    this.pending.push({
      step,
      heldOut: { meanLogProb, negentropyDifferencePerDimension: difference },
    });
  }

  /** Writes what was noted; before a checkpoint, so that it never knows less than that. */
  async flush(): Promise<void> {
    for (const record of this.pending.splice(0)) await this.run.appendMetrics(record);
  }

  /** Seconds since the beginning, those before an interruption included. */
  finish(): number {
    this.cancelAnnouncement?.();
    this.progress?.finish();
    this.clearLine();
    return this.secondsBefore + (this.effects.now() - this.start) / 1000;
  }

  private get unit(): string {
    return this.config.cascade === undefined ? "patches" : "locations";
  }

  /** Of a patch, but by pixel where images are whole: nobody thinks of them by location. */
  private figures(meanLogProb: number, difference: number): string {
    const { cascade, patch } = this.config;
    const loss =
      cascade === undefined ? signed(-meanLogProb, 2) : signed(-meanLogProb / (patch * patch));
    return `loss ${loss}, ΔJ ${signed(difference)}`;
  }

  private clearLine(): void {
    if (this.effects.stderr.isTerminal) this.effects.stderr.write("\r\u001b[K");
  }

  private samplesPerSecond(): number {
    const seconds = (this.effects.now() - this.lastRecord) / 1000;
    return (this.means.steps * this.config.batch) / seconds;
  }

  private record(step: number): void {
    const rate = Math.round(this.samplesPerSecond());
    const figures = this.means.take();
    this.latest = this.figures(figures.meanLogProb, figures.negentropyDifferencePerDimension);
    this.pending.push({
      step,
      ...figures,
      ...(this.leastSingularValue < Infinity && { smallestSingularValue: this.leastSingularValue }),
      samplesPerSecond: rate,
      seconds: this.secondsBefore + (this.effects.now() - this.start) / 1000,
    });
    this.leastSingularValue = Infinity;
    this.lastRecord = this.effects.now();
  }
}

/** With as many digits each time, so that the line stands still. */
function signed(value: number, digits = 3): string {
  return withMinus(value.toFixed(digits));
}
