/** A fit in the folder of its run: checkpoints, metrics, and in the end the model. */
import {
  type FitCheckpoint,
  GaussianizeError,
  type Gdn,
  type ModelFit,
  type TaskRunner,
  decodeCheckpoint,
  encodeCheckpoint,
  fitModel,
} from "../src/index.js";
import type { ImageSet } from "../node/index.js";
import type { RunFolder } from "../node/run-folder.js";
import type { Effects } from "./effects.js";
import { type FitConfig, readingOfTerms } from "./fit-config.js";
import { FitWatch } from "./fit-watch.js";
import { duration, short, thousands } from "./text.js";

export interface FitRun {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
  readonly signal: AbortSignal;
}

export interface FitOutcome {
  /** The file. */
  readonly model: string;
  readonly name: string;
  readonly steps: number;
  readonly rejectedSteps: number;
  /** Since the program went to work: not of a run that was resumed before. */
  readonly seconds: number;
  readonly trainingImages: number;
  readonly heldOutImages: number;
  readonly skippedImages: number;
  /** On patches of the images that were held out; null where there are none. */
  readonly heldOut: {
    readonly meanLogLikelihood: number;
    readonly negentropyDifferencePerDimension: number;
    readonly step: number;
  } | null;
}

/** Checkpoints of a whole fit, about. */
const checkpointsOfFit = 100;

export async function runFit(
  runner: TaskRunner,
  fit: FitRun,
  effects: Effects,
): Promise<FitOutcome> {
  const { run, config, set, signal } = fit;
  const watch = new FitWatch(run, config, effects);
  let stepsKept = 0;
  const result = await fitModel(runner, {
    model: config.model,
    images: set.images.length,
    load: set.load,
    reading: readingOfTerms(config),
    preprocessing: config.preprocessing,
    steps: config.steps,
    batch: config.batch,
    learningRate: config.learningRate,
    optimiser: config.optimiser,
    certified: config.certified,
    subspace: config.subspace,
    heldOut: config.heldOut,
    patience: config.patience,
    seed: config.seed,
    window: config.window,
    signal,
    checkpointEvery: Math.ceil(config.steps / checkpointsOfFit),
    onCheckpoint: async (checkpoint) => {
      await watch.flush();
      await run.writeCheckpoint(encodeCheckpoint(checkpoint));
      stepsKept = checkpoint.step;
    },
    resume: async (start) => {
      const checkpoint = await checkpointOf(run, start);
      stepsKept = checkpoint?.step ?? 0;
      await run.keepMetricsUntil(checkpoint?.step ?? -1);
      watch.beginAt(stepsKept);
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
  }).catch((error: unknown) => {
    watch.finish();
    throw signal.aborted ? interrupted(signal, fit, stepsKept) : error;
  });
  await watch.flush();
  await run.writeModel(withOrigin(result, fit));
  return outcomeOf(result, fit, watch.finish());
}

async function checkpointOf(run: RunFolder, start: Gdn): Promise<FitCheckpoint<Gdn> | null> {
  const bytes = await run.readCheckpoint();
  return bytes ? decodeCheckpoint(bytes, start, run.path("checkpoint")) : null;
}

/** What the program says when it was told to stop, with the exit code of the signal. */
function interrupted(signal: AbortSignal, { run, config }: FitRun, steps: number): Error {
  const { exitCode = 130 } = (signal.reason ?? {}) as { exitCode?: number };
  const error = new GaussianizeError(
    `Interrupted; ${thousands(steps)} of ${thousands(config.steps)} steps are kept. Go on with: gaussianize fit -o ${run.folder} --resume`,
  );
  return Object.assign(error, { exitCode });
}

function withOrigin({ model }: ModelFit, { config, set }: FitRun): ModelFit["model"] {
  const { about } = model;
  const { protocol } = config;
  const preprocessing = { ...about.preprocessing, ...(protocol === null ? {} : { protocol }) };
  const data = { ...about.data, skippedImages: set.skipped.length, hash: set.fingerprint };
  return { ...model, about: { ...about, preprocessing, data } };
}

function outcomeOf(
  { model, fit, trainingImages, heldOutImages }: ModelFit,
  { run, set }: FitRun,
  seconds: number,
): FitOutcome {
  const { figures = {}, name = "" } = model.about;
  return {
    model: run.path("model"),
    name,
    steps: fit.steps,
    rejectedSteps: fit.rejectedSteps,
    seconds,
    trainingImages,
    heldOutImages,
    skippedImages: set.skipped.length,
    heldOut: fit.validated && {
      meanLogLikelihood: figures.heldOutLogLikelihoodInNats,
      negentropyDifferencePerDimension: figures.negentropyDifferenceInNatsPerPixel,
      step: fit.validated.step,
    },
  };
}

export function outcomeText(outcome: FitOutcome): string {
  const { name, steps, seconds, trainingImages, heldOutImages, heldOut, model } = outcome;
  const images = `${thousands(trainingImages)} ${trainingImages === 1 ? "image" : "images"}`;
  const lines = [
    `${name}: ${thousands(steps)} steps on ${images} in ${duration(seconds)}${outcome.rejectedSteps > 0 ? `, ${outcome.rejectedSteps} taken back` : ""}`,
    heldOut
      ? `ΔJ ${short(heldOut.negentropyDifferencePerDimension, 4)} nats per pixel, log-likelihood ${short(heldOut.meanLogLikelihood, 5)} nats, on ${heldOutImages} held-out ${heldOutImages === 1 ? "image" : "images"}`
      : "No image was held out: evaluate says how good it is on others.",
    ...(outcome.skippedImages > 0 ? [`${outcome.skippedImages} images were left out.`] : []),
    `Wrote ${model}`,
  ];
  return `${lines.join("\n")}\n`;
}
