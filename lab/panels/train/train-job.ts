/** Job: fits a model to pictures. The page can watch it, pause it, and download its state. */
import { encodeModel } from "../../../src/density/model-files/model-file.js";
import type { ModelAbout, PatchModel } from "../../../src/density/model-files/model.js";
import { GaussianizeError } from "../../../src/errors.js";
import { filtersOnPixels } from "../../../src/figures/filters-on-pixels.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../../src/training/checkpoint-file.js";
import { type ModelCheckpoint, fitModel } from "../../../src/training/fit-model.js";
import { problemText } from "../../../src/training/fit-problem.js";
import type { FitProgress } from "../../../src/training/image-fit.js";
import { openImageSet } from "../../../browser/image-set.js";
import {
  type FitTerms,
  patchFitOptions,
  rateToTry,
  readingOfTerms,
} from "../../../src/runs/fit-terms.js";
import { MeanFigures, type MetricsRecord, stepsOfRecord } from "../../../src/runs/run-metrics.js";
import { componentsOf } from "../../../src/transforms/side-by-side.js";
import type { Bitmap } from "../../components/bitmap.js";
import { mostPixels } from "../../compute/decode-picture.js";
import { filterMosaic } from "../../compute/filter-mosaic.js";
import type { Job, JobContext } from "../../compute/job.js";
import { bytesOfFile } from "../../compute/model-file.js";
import {
  type TrainingRun,
  picturesFor,
  requireDigests,
  runOf,
  runOfCheckpoint,
} from "./training-run.js";

export interface TrainInput {
  readonly pictures: readonly File[];
  readonly terms: FitTerms;
  /** First step: a new fit, the state of the stopped fit, or a checkpoint file. */
  readonly from: "the start" | "where it was" | CheckpointFiles;
}

export interface CheckpointFiles {
  readonly file: File;
  /** config.json, for a checkpoint of the command. */
  readonly config: File | null;
}

/** Facts about a running fit. */
export interface FitFacts {
  readonly phase: "opening" | "images" | "preprocessing" | "whitening" | "blocks" | "fit";
  /** Number of steps taken. */
  readonly step: number;
  readonly rejectedSteps: number;
  readonly stepsPerSecond: number;
  /** Null before the first step. */
  readonly counts: { readonly fitted: number; readonly heldOut: number } | null;
  readonly filters: { readonly step: number; readonly bitmap: Bitmap } | null;
}

/** Changed facts, new records, and the reason why a picture was skipped. */
export interface TrainReport extends Partial<FitFacts> {
  readonly records?: readonly MetricsRecord[];
  readonly skipped?: string;
}

export interface Trained {
  /** Why the fit failed, and what to try; null if it did not fail. */
  readonly problem: string | null;
  /** After a problem, the last good model. */
  readonly modelFile: Uint8Array<ArrayBuffer>;
  readonly steps: number;
}

export interface KeptFile {
  readonly step: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Milliseconds between two reports of numbers, and of filters. */
const progressEvery = 200;
const filtersEvery = 1500;
/** Side of the picture of filters in pixels, about its size on the page. */
const side = 480;

interface Kept {
  readonly run: TrainingRun;
  readonly checkpoint: ModelCheckpoint;
  readonly model: () => PatchModel;
}

/** State of the fit. The page starts only one at a time. */
let kept: Kept | undefined;

export const train: Job<TrainInput, Trained, TrainReport> = async (input, context) => {
  const { signal, report } = context;
  const before = await checkpointOf(input);
  if (input.from !== "where it was") kept = undefined;
  const terms = before?.run.terms ?? input.terms;
  report({ phase: "opening" });
  const pictures = before ? picturesFor(terms, input.pictures) : input.pictures;
  const { seed, removeSaturated } = terms;
  const set = await openImageSet(pictures, readingOfTerms(terms), {
    seed,
    removeSaturated,
    mostPixels,
    signal,
    onSkipped: ({ reason }) => {
      report({ skipped: reason });
    },
  });
  if (before && before.run.fingerprint !== "") requireDigests();
  if (before && set.fingerprint !== before.run.fingerprint) {
    throw new GaussianizeError(
      "mismatch",
      "The pictures have the same names as those of the checkpoint, but other contents.",
    );
  }
  const run = before?.run ?? runOf(terms, set.fingerprint);
  const watch = new TrainWatch(run, context);
  const fitted = await fitModel(context.runner, {
    ...patchFitOptions(terms, set),
    signal,
    onPhase: (phase) => {
      report({ phase });
    },
    onStep: watch.step,
    onValidation: watch.validate,
    checkpointEvery: 1,
    onCheckpoint: watch.look,
    resume: (start) => {
      const checkpoint = before?.read(start) ?? null;
      watch.begin(checkpoint?.step ?? 0);
      return checkpoint;
    },
  });
  const { model, fit } = fitted;
  watch.end(fit.steps, fit.rejectedSteps, fit.transform, model.about);
  const problem =
    fitted.problem &&
    `${problemText(fitted.problem)} Try a largest learning rate of ${rateToTry(terms)}.`;
  const modelFile = encodeModel(model) as Uint8Array<ArrayBuffer>;
  return { problem, modelFile, steps: fit.steps };
};

type Fitted = ModelCheckpoint["transform"];

interface Before {
  readonly run: TrainingRun;
  readonly read: (start: Fitted) => ModelCheckpoint;
}

async function checkpointOf({ from }: TrainInput): Promise<Before | null> {
  if (from === "the start") return null;
  if (from === "where it was") {
    if (!kept)
      throw new GaussianizeError("invalid-argument", "There is no fit to resume. Start a new one.");
    const { run, checkpoint } = kept;
    return { run, read: () => checkpoint };
  }
  const { name } = from.file;
  const { bytes, run } = await openCheckpoint(from);
  return { run, read: (start) => decodeCheckpoint(bytes, start, { name, run: run.id }) };
}

/** Enough for the paths of a hundred thousand pictures. */
const mostBytesOfConfig = 2 ** 24;

export async function openCheckpoint({
  file,
  config,
}: CheckpointFiles): Promise<{ readonly bytes: Uint8Array; readonly run: TrainingRun }> {
  const bytes = await bytesOfFile(file, file.name);
  const ofRun = config && (await bytesOfFile(config, config.name, mostBytesOfConfig));
  return { bytes, run: await runOfCheckpoint(bytes, file.name, ofRun) };
}

/** Returns the current model or checkpoint of the running or stopped fit; null if none. */
export const keepTraining: Job<{ readonly what: "model" | "checkpoint" }, KeptFile | null> = ({
  what,
}) => {
  if (!kept) return Promise.resolve(null);
  const { checkpoint, run, model } = kept;
  const bytes = what === "model" ? encodeModel(model()) : encodeCheckpoint(checkpoint, run.id);
  return Promise.resolve({ step: checkpoint.step, bytes: bytes as Uint8Array<ArrayBuffer> });
};

/** Reports progress to the page at intervals. */
class TrainWatch {
  private readonly means = new MeanFigures();
  private readonly every: number;
  private records: MetricsRecord[] = [];
  private start = 0;
  private firstStep = 0;
  private progressAt = -Infinity;
  private filtersAt = -Infinity;

  constructor(
    private readonly run: TrainingRun,
    private readonly context: JobContext<TrainReport>,
  ) {
    this.every = stepsOfRecord(run.terms.steps);
  }

  begin(step: number): void {
    this.firstStep = step;
    this.start = performance.now();
  }

  readonly step = (progress: FitProgress): void => {
    this.means.add(progress);
    const step = progress.step + 1;
    // The first step is recorded on its own, so that figures appear at once.
    if (step !== this.firstStep + 1 && step % this.every !== 0) return;
    this.records.push({ step, isHeldOut: false, seconds: this.seconds, ...this.means.take() });
  };

  readonly validate = (progress: FitProgress): void => {
    const { step, meanLogProb, negentropyDifferencePerDimension } = progress;
    this.records.push({ step, isHeldOut: true, meanLogProb, negentropyDifferencePerDimension });
  };

  readonly look = async (checkpoint: ModelCheckpoint, model: () => PatchModel): Promise<void> => {
    kept = { run: this.run, checkpoint, model };
    const { step, rejectedSteps, transform } = checkpoint;
    const now = performance.now();
    const isLast = this.context.signal.aborted;
    if (isLast || now - this.progressAt >= progressEvery) this.progress(step, rejectedSteps);
    if (now - this.filtersAt >= filtersEvery) {
      // The current filters, not those of the best validation.
      this.filters(step, transform, model().about);
    }
    const before = performance.now();
    await this.context.whileHeld();
    // Pauses do not count as running time.
    this.start += performance.now() - before;
  };

  end(step: number, rejectedSteps: number, fitted: Fitted, about: ModelAbout): void {
    this.progress(step, rejectedSteps);
    this.filters(step, fitted, about);
  }

  /** Running time, without pauses. */
  private get seconds(): number {
    return (performance.now() - this.start) / 1000;
  }

  private progress(step: number, rejectedSteps: number): void {
    this.progressAt = performance.now();
    const stepsPerSecond = (step - this.firstStep) / this.seconds;
    const records = this.records.splice(0);
    this.context.report({ step, rejectedSteps, stepsPerSecond, records });
  }

  /** Shows the filters of the first component. */
  private filters(step: number, fitted: Fitted, about: ModelAbout): void {
    this.filtersAt = performance.now();
    const { trainingImages, heldOutImages } = about.data ?? {};
    const counts = { fitted: Number(trainingImages), heldOut: Number(heldOutImages) };
    this.context.report({ counts });
    const [transform] = componentsOf(fitted);
    const found = filtersOnPixels({ transform, about });
    if (!found) return;
    // In the order of the rows, so that each filter keeps its place while it changes.
    const rows = Array.from({ length: found.count }, (_, k) => k);
    const { bitmap } = filterMosaic(found, rows, { pixels: side });
    this.context.report({ filters: { step, bitmap } });
  }
}
