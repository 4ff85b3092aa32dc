/** A fit in the folder of its run: checkpoints, metrics, and in the end the model. */
import { GaussianizeError } from "../../src/errors.js";
import { thousands } from "../../src/numbers/format-number.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import type { FitCheckpoint } from "../../src/training/fit-transform.js";
import type { AnyTransform } from "../../src/transforms/image-cascade.js";
import { type FitListener, fitWithTerms } from "../../src/runs/fit-terms.js";
import { readModel } from "../../node/model-files.js";
import type { RankJob } from "../../node/mpi/rank-job.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import { termsBefore } from "./config.js";
import { type FitInFolder, resumeTogether } from "./team.js";
import { FitWatch } from "./watch.js";
import { type FitOutcome, bestModelOf, failed, failureText, outcomeOf } from "./outcome.js";

export interface FitRun extends FitInFolder {
  /** How to go on after an interruption; `gaussianize fit … --resume` where undefined. */
  readonly resumeWith?: string;
  /**
   * Ranks that make the fit together; this is the first of them, and interruptions are theirs to
   * tell.
   */
  readonly job?: RankJob;
  /** When a checkpoint was written, with its step. */
  readonly onKept?: (steps: number) => void;
}

/** Checkpoints of a whole fit, about. */
const checkpointsOfFit = 100;
/**
 * Whatever the time that a step takes: who ends a process without a warning costs no more than
 * this.
 */
const secondsBetweenCheckpoints = 30;
/** As often as somebody looks. */
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
  // The model of a run that is extended.
  const finished = (await run.has("model")) ? await readModel(run.path("model")) : null;
  let previewedAt = -Infinity;
  const listener: FitListener = {
    signal,
    ...(finished && { finished }),
    ...(job && { ranks: job.ranks, abandonment: job.abandonment }),
    checkpointSeconds: secondsBetweenCheckpoints,
    checkpointEvery: Math.ceil(config.steps / checkpointsOfFit),
    onCheckpoint: async (checkpoint, model) => {
      await watch.flush();
      await run.writeCheckpoint(encodeCheckpoint(checkpoint, run.id));
      keep(checkpoint.step);
      if (effects.now() - previewedAt < millisecondsBetweenPreviews) return;
      previewedAt = effects.now();
      // For onlookers: a disk without room for it must not end the fit.
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
    // A disk that is full just then is worth more than that somebody pressed Ctrl-C.
    throw error === signal.reason && !job ? interrupted(signal, fit, stepsKept) : error;
  });
  const seconds = watch.finish();
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
    seconds,
  };
}

async function checkpointOf<T extends AnyTransform>(
  run: RunFolder,
  start: T,
  job: RankJob | undefined,
): Promise<FitCheckpoint<T> | null> {
  const bytes = await run.readCheckpoint();
  if (job) return resumeTogether(job, run, start, bytes);
  const origin = { name: run.path("checkpoint"), run: run.id };
  return bytes ? decodeCheckpoint(bytes, start, origin) : null;
}

/** What the program says when it was told to stop, with the exit code of the signal. */
function interrupted(signal: AbortSignal, fit: FitRun, steps: number): Error {
  const { exitCode = 130 } = (signal.reason ?? {}) as { exitCode?: number };
  const { run, config } = fit;
  const { resumeWith = `gaussianize fit -o ${quoted(run.folder)} --resume` } = fit;
  // A command that makes several fits is resumed in any case.
  const all = run.isBegun || fit.resumeWith !== undefined ? config.steps : undefined;
  return Object.assign(interruption(steps, all, resumeWith), { exitCode });
}

/**
 * An error whose `command` the program prints on a line of its own, to be pasted. `all` is
 * undefined where nothing was written yet.
 */
export function interruption(
  kept: number,
  all: number | undefined,
  command: string,
  beginning = "Interrupted",
): GaussianizeError & { readonly command?: string } {
  if (all === undefined) {
    return new GaussianizeError("interrupted", `${beginning}, before there was anything to keep.`);
  }
  const steps = `${thousands(kept)} of ${thousands(all)} steps`;
  const error = new GaussianizeError(
    "interrupted",
    `${beginning}; ${steps} are kept. Resume with:`,
  );
  return Object.assign(error, { command });
}

/** As a shell takes it for one word. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
