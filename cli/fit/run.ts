/** Runs a fit in the folder of its run: writes checkpoints, metrics and finally the model. */
import { GaussianizeError } from "../../src/errors.js";
import { thousands } from "../../src/numbers/format-number.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import {
  decodeCheckpoint,
  describeCheckpoint,
  encodeCheckpoint,
} from "../../src/training/checkpoint-file.js";
import type { FitCheckpoint } from "../../src/training/fit-transform.js";
import type { FittedTransform } from "../../src/transforms/side-by-side.js";
import { type FitListener, fitWithTerms } from "../../src/runs/fit-terms.js";
import { readModel } from "../../node/model-files.js";
import type { RankJob } from "../../node/mpi/rank-job.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import { quoted } from "../text.js";
import { type FitConfig, termsBefore } from "./config.js";
import { FitWatch } from "./watch.js";
import {
  type FitOutcome,
  beforeOf,
  bestModelOf,
  failed,
  failureText,
  outcomeOf,
} from "./outcome.js";

export interface FitRun {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
  readonly signal: AbortSignal;
  /** Command that resumes the fit; default `gaussianize fit … --resume`. */
  readonly resumeWith?: string;
  /** Ranks of a distributed fit, which report interruptions themselves; this process is rank 0. */
  readonly job?: RankJob;
  /** Called with the step of each checkpoint that was written. */
  readonly onKept?: (steps: number) => void;
}

/** Fraction of the time that checkpoints may take. */
const checkpointShare = 0.02;
/** A killed process loses at most this time of its steps, however long a checkpoint takes. */
const secondsBetweenCheckpoints = 30;
const millisecondsBetweenPreviews = 5000;

export async function runFit(
  runner: TaskRunner,
  fit: FitRun,
  effects: Effects,
): Promise<FitOutcome> {
  const { run, config, set, signal, job } = fit;
  const watch = new FitWatch(run, config, effects);
  let stepsKept = 0;
  const keep = (steps: number): void => {
    stepsKept = steps;
    fit.onKept?.(steps);
  };
  // A run that is extended has a model already.
  const finished = (await run.has("model")) ? await readModel(run.path("model")) : null;
  // Preparing takes a while; if it is interrupted, the steps of before remain.
  const stepsOfModel = finished ? (config.restarts?.at(-1) ?? 0) : 0;
  keep(Math.max(stepsOfModel, await stepOfCheckpoint(run)));
  let previewedAt = -Infinity;
  const listener: FitListener = {
    signal,
    ...(finished && { finished }),
    ...(job && { ranks: job.ranks, abandonment: job.abandonment }),
    checkpointSeconds: secondsBetweenCheckpoints,
    checkpointShare,
    onCheckpoint: async (checkpoint, model) => {
      await watch.flush();
      await run.writeCheckpoint(encodeCheckpoint(checkpoint, run.id));
      keep(checkpoint.step);
      if (effects.now() - previewedAt < millisecondsBetweenPreviews) return;
      previewedAt = effects.now();
      // Previews are optional: a full disk must not end the fit.
      await run.writePreview(model()).catch(() => undefined);
    },
    resume: async (start) => {
      const checkpoint = await checkpointOf(run, start, job);
      keep(checkpoint?.step ?? 0);
      watch.beginAt(stepsKept, await run.keepMetricsUntil(checkpoint?.step ?? -1));
      return checkpoint;
    },
    onPhase: (phase) => {
      watch.enter(phase);
    },
    onBlockStep: (done, steps) => {
      watch.blockStep(done, steps);
    },
    onStep: (progress) => {
      watch.step(progress);
    },
    onValidation: (progress) => {
      watch.validate(progress);
    },
  };
  const fitting = fitWithTerms(runner, config, set, listener, config.window);
  const result = await fitting.catch((error: unknown) => {
    watch.finish();
    // Any other error, such as a full disk, matters more than Ctrl-C.
    throw error === signal.reason && !job ? interrupted(signal, fit, stepsKept) : error;
  });
  const times = watch.finish();
  const { model, problem } = result;
  const failure = problem && (await failureText(problem, config, run, result.trainingImages));
  await (failure === null
    ? run.writeModel(model)
    : run.writeModel(failed(model, failure), "lastGood"));
  if (problem?.isExtension) await run.extended(termsBefore(config));
  await watch.flush();
  return {
    ...outcomeOf(model, failure === null ? run.path("model") : await bestModelOf(run)),
    problem: failure,
    stepsAsked: config.steps,
    rejectedSteps: result.fit.rejectedSteps,
    ...times,
    ...(finished && { before: beforeOf(finished) }),
  };
}

async function checkpointOf<T extends FittedTransform>(
  run: RunFolder,
  start: T,
  job: RankJob | undefined,
): Promise<FitCheckpoint<T> | null> {
  const bytes = await run.readCheckpoint();
  if (job) return resumeTogether(job, run, start, bytes);
  return bytes ? decodeCheckpoint(bytes, start, originOf(run)) : null;
}

/** Returns the step of a run's checkpoint, 0 without one. A damaged one is reported on reading. */
async function stepOfCheckpoint(run: RunFolder): Promise<number> {
  const bytes = await run.readCheckpoint();
  try {
    return bytes ? describeCheckpoint(bytes).step : 0;
  } catch {
    return 0;
  }
}

/** Returns the checkpoint that rank 0 has read, at all ranks; null at the start of a fit. */
export async function resumeTogether<T extends FittedTransform>(
  job: RankJob,
  run: RunFolder,
  start: T,
  bytes: Uint8Array = new Uint8Array(0),
): Promise<FitCheckpoint<T> | null> {
  // With another image decoder, or other rounding, each rank would fit a model of its own.
  await job.requireSameNumbers(start, "has come to other numbers before the first step");
  const shared = await job.share(bytes);
  return shared.length === 0 ? null : decodeCheckpoint(shared.slice(), start, originOf(run));
}

function originOf(run: RunFolder) {
  return { name: run.path("checkpoint"), run: run.id };
}

/** Returns the error of an interrupted fit, with the exit code of the signal. */
function interrupted(signal: AbortSignal, fit: FitRun, steps: number): Error {
  const { exitCode = 130 } = (signal.reason ?? {}) as { exitCode?: number };
  const { run, config } = fit;
  const { resumeWith = `gaussianize fit -o ${quoted(run.folder)} --resume` } = fit;
  // A command with several fits can always be resumed.
  const all = run.isBegun || fit.resumeWith !== undefined ? config.steps : undefined;
  return Object.assign(interruption(steps, all, resumeWith), { exitCode });
}

/**
 * Returns an error with a `command` to paste, which the program prints alone on a line. `all` is
 * undefined if nothing was written yet.
 */
export function interruption(
  kept: number,
  all: number | undefined,
  command: string,
  beginning = "Interrupted",
): GaussianizeError & { readonly command?: string } {
  if (all === undefined) {
    return new GaussianizeError(
      "interrupted",
      `${beginning} before the first checkpoint: nothing was written.`,
    );
  }
  const steps = `${thousands(kept)} of ${thousands(all)} steps`;
  const error = new GaussianizeError(
    "interrupted",
    `${beginning}; ${steps} are kept. Resume with:`,
  );
  return Object.assign(error, { command });
}
