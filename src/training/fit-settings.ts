/** What fits of patches and of whole images have in common: options, progress, and what a model says of its fit. */
import { expected } from "../errors.js";
import { logTwoPi } from "../density/induced-density.js";
import { requireWorkForAll, sharesOf } from "../density/ranked-passes.js";
import type { AnyModel, ModelAbout } from "../density/model-files/model.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Ranks } from "../parallel/ranks.js";
import { type ImageReading, aboutReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import type { Seed } from "../random/random-stream.js";
import { stagesOf, withStages } from "../transforms/cascade.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import { type LayerFitOptions, checkRestarts, fitLayers } from "./fit-layers.js";
import { LostFit } from "./fit-loop.js";
import { type PreprocessingKind, preprocessingKinds } from "./fit-preprocessing.js";
import { type FitProblem, type JudgedFit, judgeFit } from "./fit-problem.js";
import { type Fit, type FitCheckpoint, fitAt } from "./fit-transform.js";
import type { OptimiserName } from "./optimisers.js";
import type { BoundOptions } from "./parameter-bounds.js";
import type { PreparationPhase, PreparedFit } from "./prepare-fit.js";
import { type Measure, meanLogProbOf, validationInterval } from "./validation.js";

/** T is what moves. */
export interface CommonFitOptions<T extends AnyTransform> {
  /** Number of images, and how to get one (as a PatchSupply wants it). */
  readonly images: number;
  readonly load: LoadImage;
  /** Default "logistic", but "standardize" where patches lose their mean: the curve would come after that. */
  readonly preprocessing?: PreprocessingKind;
  readonly steps?: number;
  readonly batch?: number;
  readonly learningRate?: number;
  readonly optimiser?: OptimiserName;
  /** Keeps q below 1 (docs/mathematics.md). */
  readonly certified?: boolean;
  /**
   * Part of the images to validate with, default 0.1: at least one, at most 64. Only usable images are held out, and one is always left to
   * train on.
   */
  readonly heldOut?: number;
  /** Ends the fit after so many validations in a row without a new best; default 5. There are at most 20 in a fit. */
  readonly patience?: number;
  /**
   * Steps at which the fit once ended, and was extended from; default none. The rate rises and falls again after each of them (fit-layers.ts).
   * The same restarts give the same bits.
   */
  readonly restarts?: readonly number[];
  /** Model of the fit before it was extended: a result that is worse than it fails. Default: the start of the fit is compared. */
  readonly finished?: AnyModel;
  readonly seed?: Seed;
  /** What a model is to say of where its images come from; left out: nothing. */
  readonly origin?: FitOrigin;
  /** Images in memory at once, default all. */
  readonly window?: number;
  /** Where images begin that are best read one after the other (`ImageSet.readingPlan`); default each is read by itself. */
  readonly runs?: Uint32Array;
  readonly signal?: AbortSignal;
  /** Ends the fit at once, whatever it waits for, with a last checkpoint of the last sound step. */
  readonly abandonment?: AbortSignal;
  /** Processes that make the fit together, each with these same options: the model is the same, bit for bit, for any number of them. */
  readonly ranks?: Ranks;
  readonly onPhase?: (phase: PreparationPhase | "fit") => void;
  readonly onStep?: (progress: FitProgress) => void;
  readonly onValidation?: (progress: FitProgress) => void;
  readonly checkpointEvery?: number;
  /** And whenever so many seconds have passed since the last one; default Infinity. */
  readonly checkpointSeconds?: number;
  readonly onCheckpoint?: (checkpoint: FitCheckpoint<T>) => void | Promise<void>;
  /** Given the start, where an interrupted fit with the same options stood; null: at the start. */
  readonly resume?: (start: T) => FitCheckpoint<T> | null | Promise<FitCheckpoint<T> | null>;
}

/** Where the images of a fit come from, as those know who opened them. */
export interface FitOrigin {
  /** The fingerprint of the set. */
  readonly hash: string;
  /** How many were given, those included that cannot be used. */
  readonly images: number;
  /** Of the literature, by its name. */
  readonly protocol?: string | null;
  /** Whether saturated ones were left out. */
  readonly removeSaturated?: boolean;
}

export const commonFitFields = [
  "images",
  "load",
  "preprocessing",
  "steps",
  "batch",
  "learningRate",
  "optimiser",
  "certified",
  "heldOut",
  "patience",
  "restarts",
  "finished",
  "seed",
  "origin",
  "window",
  "runs",
  "signal",
  "abandonment",
  "ranks",
  "onPhase",
  "onStep",
  "onValidation",
  "checkpointEvery",
  "checkpointSeconds",
  "onCheckpoint",
  "resume",
] as const;

export interface FitProgress {
  readonly step: number;
  /** Mean of log p of preprocessed samples, in nats; of whole images, by location. */
  readonly meanLogProb: number;
  /** ΔJ, paper eq. (4), between preprocessed samples and y. */
  readonly negentropyDifferencePerDimension: number;
  /** Of convolutions, over the frequencies that the step looked at. */
  readonly smallestSingularValue?: number;
}

export interface FitDefaults {
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
}

/** Options with their defaults, checked. */
export interface FitSettings extends FitDefaults {
  readonly optimiser: OptimiserName;
  readonly preprocessing: PreprocessingKind;
  readonly patience: number;
  readonly restarts: readonly number[];
  readonly seed: Seed;
  /** Part of the images. */
  readonly heldOut: number;
}

export function fitSettings<T extends AnyTransform>(
  options: Omit<CommonFitOptions<T>, "onCheckpoint">,
  defaults: FitDefaults,
  removeMean: boolean,
): FitSettings {
  const { images, heldOut = 0.1, optimiser = "adam", seed = 1, patience = 5 } = options;
  const { preprocessing = removeMean ? "standardize" : "logistic" } = options;
  if (!Number.isInteger(images) || images < 1) {
    throw expected("images", "be a positive integer", images);
  }
  if (!(heldOut >= 0 && heldOut <= 0.9)) throw expected("heldOut", "be from 0 to 0.9", heldOut);
  if (!preprocessingKinds.includes(preprocessing)) {
    throw expected("preprocessing", `be one of ${preprocessingKinds.join(", ")}`, preprocessing);
  }
  if (removeMean && preprocessing === "logistic") {
    throw expected("preprocessing", "be standardize where patches lose their mean", preprocessing);
  }
  const { batch = defaults.batch } = options;
  if (!Number.isInteger(batch) || batch < 1) {
    throw expected("batch", "be a positive integer", batch);
  }
  if (options.ranks) requireWorkForAll(batch, options.ranks.size);
  const { steps = defaults.steps, restarts = [] } = options;
  checkRestarts(restarts, steps);
  return {
    steps,
    restarts,
    batch,
    learningRate: options.learningRate ?? defaults.learningRate,
    optimiser,
    preprocessing,
    patience,
    seed,
    heldOut,
  };
}

/** ΔJ = E(½‖y‖² − log |det ∂y/∂x| − ½‖x‖²) a dimension, from E log p(x) and ½ E x² (paper eqs. 1 and 4). */
export function differenceOf(
  meanLogProb: number,
  dimension: number,
  energyPerDimension: number,
): number {
  return -meanLogProb / dimension - logTwoPi / 2 - energyPerDimension;
}

/** The fit itself, once all is prepared; `dimension` is that of a sample, or of a location. */
export async function fitPrepared<T extends AnyTransform>(
  runner: TaskRunner,
  start: T,
  dimension: number,
  prepared: PreparedFit,
  options: CommonFitOptions<T>,
  settings: FitSettings,
  own: Pick<LayerFitOptions<T>, "greedy" | "ends" | "objectiveFor" | keyof BoundOptions> &
    Measured<T>,
): Promise<JudgedFit<T>> {
  const { signal, abandonment, ranks, onPhase, onStep, onValidation } = options;
  const { checkpointEvery, checkpointSeconds, onCheckpoint, finished } = options;
  const { steps, batch, learningRate, optimiser, patience, restarts } = settings;
  const { validation, energyPerDimension } = prepared;
  const { measure, ...layers } = own;
  onPhase?.("fit");
  const progressOf = (step: number, meanLogProb: number, energy: number): FitProgress => ({
    step,
    meanLogProb,
    negentropyDifferencePerDimension: differenceOf(meanLogProb, dimension, energy),
  });
  // Each rank makes, and loads the images for, its part of a batch only.
  const part = ranks && sharesOf(batch, ranks.size).nodes[ranks.rank];
  const resumed = (await options.resume?.(start)) ?? null;
  const fitting = fitLayers(runner, start, resumed, {
    certified: options.certified ?? false,
    ...layers,
    steps,
    restarts,
    learningRate,
    batchAt: (step) => prepared.batchAt(step, part),
    whitening: prepared.whitening,
    optimiser,
    ...(signal && { signal }),
    ...(abandonment && { abandonment }),
    ...(ranks && { ranked: { ranks, batch } }),
    ...(checkpointEvery === undefined ? {} : { checkpointEvery }),
    ...(checkpointSeconds === undefined ? {} : { checkpointSeconds }),
    ...(onCheckpoint && { onCheckpoint }),
    onStep: (step, value, { smallestSingularValue: least }) => {
      const progress = progressOf(step, value, energyPerDimension);
      onStep?.(least === undefined ? progress : { ...progress, smallestSingularValue: least });
    },
    ...(validation && {
      validation: {
        x: validation.x,
        ...(measure && { measure }),
        every: validationInterval(restarts[0] ?? steps),
        patience,
        onValidation: (step: number, value: number) =>
          onValidation?.(progressOf(step, value, validation.energyPerDimension)),
      },
    }),
  });
  let isLost = false;
  const fit = await fitting.catch((error: unknown) => {
    // Where the first step already was impossible, there is nothing to judge.
    if (!(error instanceof LostFit) || error.checkpoint.step === 0) throw error;
    isLost = true;
    return fitAt(error.checkpoint as FitCheckpoint<T>);
  });
  // Each rank compares by itself, with samples that all of them have.
  const x = validation?.x ?? prepared.compared ?? (await prepared.batchAt(steps - 1));
  const compare = measure ?? (meanLogProbOf as Measure<never> as Measure<T>);
  return judgeFit(fit, {
    start: finished ? withStages(start, stagesOf(finished.transform).slice(1)) : start,
    isExtension: finished !== undefined,
    ...{ dimension, isHeldOut: validation !== null, isLost },
    measure: (transform) => compare(runner, transform, x),
  });
}

type Measured<T extends AnyTransform> = Pick<
  NonNullable<LayerFitOptions<T>["validation"]>,
  "measure"
>;

interface FittedTo {
  readonly reading: ImageReading;
  readonly images: number;
  readonly name: string;
  readonly origin: FitOrigin | undefined;
}

/** What is known of a model after its fit; `training` and `figures` are what is special about it. */
export function aboutFit<T extends AnyTransform>(
  { reading, images, name, origin }: FittedTo,
  settings: FitSettings,
  prepared: PreparedFit,
  { history, steps, rejectedSteps, validated }: Fit<T>,
  own: { readonly training: ModelAbout["training"]; readonly figures: ModelAbout["figures"] },
  problem: FitProblem | null = null,
): ModelAbout {
  const { batch, learningRate, optimiser, seed, restarts } = settings;
  const { trainingImages, heldOutImages, highest } = prepared;
  const { patch, ...about } = aboutReading(reading);
  return {
    name,
    ...about,
    // Intensities of `.iml` files end far below 1, and would be shown as black.
    patch: "white" in patch && highest < 0.5 ? { ...patch, white: highest } : patch,
    preprocessing: {
      ...about.preprocessing,
      ...{ curve: settings.preprocessing, stages: 1 },
      ...(typeof origin?.protocol === "string" && { protocol: origin.protocol }),
      ...(origin?.removeSaturated && { removeSaturated: true }),
    },
    data: {
      ...{ images, trainingImages, heldOutImages },
      // Not as many as this process met: what a damaged file among very many is found by depends on how far one came.
      ...(origin && { skippedImages: origin.images - trainingImages - heldOutImages }),
      ...(origin && { hash: origin.hash }),
    },
    seed: typeof seed === "bigint" ? String(seed) : seed,
    training: {
      ...own.training,
      steps,
      ...(restarts.length > 0 && { restarts }),
      ...(problem && { problem: problem.kind }),
      // The transform is that of the best validation.
      ...(validated && { bestStep: validated.step }),
      batch,
      learningRate,
      optimiser,
      rejectedSteps,
      history: history.map(({ step, meanLogProb }) => ({ step, meanLogProb })),
    },
    figures: own.figures ?? {},
  };
}
