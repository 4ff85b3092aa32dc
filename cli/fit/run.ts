/** A fit in the folder of its run: checkpoints, metrics, and in the end the model. */
import {
  type AnyModel,
  type AnyTransform,
  type FitCheckpoint,
  type FitProblem,
  GaussianizeError,
  type CommonFitOptions,
  type ImageModelFit,
  type ModelFit,
  type TaskRunner,
  decodeCheckpoint,
  encodeCheckpoint,
  fitImageModel,
  fitModel,
  problemText,
} from "../../src/index.js";
import {
  commonOptionsOf,
  patchOptionsOf,
  rateToTry,
  readingOfTerms,
} from "../../src/runs/fit-terms.js";
import { type ImageSet, readModel } from "../../node/index.js";
import type { RankJob } from "../../node/mpi/rank-job.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import { geometryOf } from "./cascade.js";
import type { FitConfig } from "./config.js";
import { resumeTogether } from "./team.js";
import { FitWatch } from "./watch.js";
import { duration, short, thousands } from "../text.js";

export interface FitRun {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
  readonly signal: AbortSignal;
  /** How to go on after an interruption; `gaussianize fit … --resume` where undefined. */
  readonly resumeWith?: string;
  /** Ranks that make the fit together; this is the first of them, and interruptions are theirs to tell. */
  readonly job?: RankJob;
  /** When a checkpoint was written, with its step. */
  readonly onKept?: (steps: number) => void;
}

export interface FitOutcome {
  /** The file; with a problem, that of the last good model. */
  readonly model: string;
  /** Why the fit failed, and what to try; null where it did not. */
  readonly problem: string | null;
  readonly name: string;
  readonly steps: number;
  /** Not there where the run was finished before. */
  readonly stepsAsked?: number;
  /** Of this process. */
  readonly rejectedSteps?: number;
  readonly seconds?: number;
  readonly trainingImages: number;
  readonly heldOutImages: number;
  readonly skippedImages: number;
  /** The validation whose transform the model is; null where there was none. */
  readonly bestStep: number | null;
  /** On patches of the images that were held out, or on crops of them; null where there are none. */
  readonly heldOut: {
    /** Of a patch. */
    readonly meanLogLikelihood?: number;
    /** Of whole images. */
    readonly logLikelihoodPerPixel?: number;
    readonly negentropyDifferencePerDimension: number;
  } | null;
  /** Of the convolutions of a cascade, over all frequencies. */
  readonly smallestSingularValue?: number;
}

/** Checkpoints of a whole fit, about. */
const checkpointsOfFit = 100;
/** Whatever the time that a step takes: who ends a process without a warning costs no more than this. */
const secondsBetweenCheckpoints = 30;
/** As often as somebody looks. */
const millisecondsBetweenPreviews = 5000;

/** For fits of both kinds. */
interface FolderOptions<T extends AnyTransform> extends Omit<CommonFitOptions<T>, "onCheckpoint"> {
  readonly onCheckpoint: (checkpoint: FitCheckpoint<T>, model: () => AnyModel) => Promise<void>;
}

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
  let previewedAt = -Infinity;
  const optionsOf = <T extends AnyTransform>(): FolderOptions<T> => ({
    ...commonOptionsOf(config, set, config.window),
    signal,
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
  });
  const fitting =
    config.cascade === undefined
      ? fitPatches(runner, config, optionsOf())
      : fitCascade(runner, config, optionsOf());
  const result = await fitting.catch((error: unknown) => {
    watch.finish();
    // A disk that is full just then is worth more than that somebody pressed Ctrl-C.
    throw error === signal.reason && !job ? interrupted(signal, fit, stepsKept) : error;
  });
  const seconds = watch.finish();
  const { model, problem } = result;
  const name = problem ? "lastGood" : "model";
  await run.writeModel(model, name);
  await watch.flush();
  return {
    ...outcomeOf(model, run.path(name)),
    ...(problem && { problem: failedText(problem, config, run) }),
    stepsAsked: config.steps,
    rejectedSteps: result.fit.rejectedSteps,
    seconds,
  };
}

function fitPatches(
  runner: TaskRunner,
  config: FitConfig,
  options: Omit<Parameters<typeof fitModel>[1], "model" | "reading">,
): Promise<ModelFit> {
  return fitModel(runner, { ...options, ...patchOptionsOf(config) });
}

function fitCascade(
  runner: TaskRunner,
  config: FitConfig,
  options: Omit<Parameters<typeof fitImageModel>[1], "reading">,
): Promise<ImageModelFit> {
  const { luminance, dequantize, noiseLevel } = readingOfTerms(config);
  const noise = noiseLevel === undefined ? {} : { noiseLevel };
  const reading = { luminance, dequantize, ...noise };
  const { greedy = 0, secondNormalization = "gdn" } = config;
  const own = { geometry: geometryOf(config), greedy, secondNormalization, reading };
  return fitImageModel(runner, { ...options, ...own });
}

/** Says what went wrong, what to try, and where the last good model is. */
function failedText(problem: FitProblem, config: FitConfig, run: RunFolder): string {
  const { learningRate } = config;
  const cause = problem.kind === "most steps were rejected" ? "is too large" : "may be too large";
  const advice = `--rate ${learningRate} ${cause}: try --rate ${rateToTry(config)} and --force.`;
  return `${problemText(problem)} ${advice} The last good model is ${run.path("lastGood")}.`;
}

/** Of a run that came to its end before; false where it did not. */
export async function finishedOutcome(
  { run }: Pick<FitRun, "run">,
  effects: Effects,
): Promise<FitOutcome | false> {
  if (!(await run.has("model"))) return false;
  effects.stderr.write(`The run in ${run.folder} was finished already.\n`);
  return outcomeOf(await readModel(run.path("model")), run.path("model"));
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
  const error = new GaussianizeError(interruptedText(steps, all, resumeWith));
  return Object.assign(error, { exitCode });
}

/** `all` is undefined where nothing was written yet. */
export function interruptedText(
  kept: number,
  all: number | undefined,
  resumeWith: string,
  beginning = "Interrupted",
): string {
  if (all === undefined) return `${beginning}, before there was anything to keep.`;
  return `${beginning}; ${thousands(kept)} of ${thousands(all)} steps are kept. Resume with: ${resumeWith}`;
}

/** As a shell takes it for one word. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function outcomeOf({ about }: AnyModel, path: string): FitOutcome {
  const { figures = {}, name = "", training = {}, data = {} } = about;
  const { heldOutLogLikelihoodInNats: meanLogLikelihood } = figures;
  const { heldOutLogLikelihoodInNatsPerPixel: logLikelihoodPerPixel } = figures;
  const { negentropyDifferenceInNatsPerPixel: negentropyDifferencePerDimension } = figures;
  const likelihood =
    "heldOutLogLikelihoodInNatsPerPixel" in figures
      ? { logLikelihoodPerPixel }
      : { meanLogLikelihood };
  return {
    model: path,
    problem: null,
    name,
    steps: training.steps ?? 0,
    trainingImages: Number(data.trainingImages),
    heldOutImages: Number(data.heldOutImages),
    skippedImages: Number(data.skippedImages),
    bestStep: training.bestStep === undefined ? null : Number(training.bestStep),
    heldOut:
      "negentropyDifferenceInNatsPerPixel" in figures
        ? { ...likelihood, negentropyDifferencePerDimension }
        : null,
    ...("smallestSingularValue" in figures && {
      smallestSingularValue: figures.smallestSingularValue,
    }),
  };
}

export function outcomeText(outcome: FitOutcome): string {
  const { name, steps, seconds, trainingImages, heldOutImages, heldOut, model } = outcome;
  const { rejectedSteps = 0, skippedImages, stepsAsked = steps, bestStep } = outcome;
  const time = seconds === undefined ? "" : ` in ${duration(seconds)}`;
  const rejected = rejectedSteps > 0 ? `, ${rejectedSteps} rejected` : "";
  const lines = [
    `${name}: ${counted(steps, "step")} on ${counted(trainingImages, "image")}${time}${rejected}`,
    ...(steps < stepsAsked
      ? [
          `Stopped early, ${thousands(stepsAsked)} steps were asked for: no validation was better than that after ${thousands(bestStep ?? 0)}, whose model it is (--patience).`,
        ]
      : []),
    heldOut
      ? `ΔJ ${short(heldOut.negentropyDifferencePerDimension, 4)} nats per pixel, log-likelihood ${likelihoodText(heldOut)}, on ${counted(heldOutImages, "held-out image")}`
      : "No image was held out: evaluate says how good it is on others.",
    ...(skippedImages > 0
      ? [
          `${counted(skippedImages, "image")} could not be used and ${skippedImages === 1 ? "was" : "were"} left out.`,
        ]
      : []),
    `${seconds === undefined ? "There is" : "Wrote"} ${model}`,
  ];
  return `${lines.join("\n")}\n`;
}

function likelihoodText({
  meanLogLikelihood = NaN,
  logLikelihoodPerPixel,
}: NonNullable<FitOutcome["heldOut"]>): string {
  return logLikelihoodPerPixel === undefined
    ? `${short(meanLogLikelihood, 5)} nats`
    : `${short(logLikelihoodPerPixel, 4)} nats per pixel`;
}

export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}
