/** Images in, model out: preprocessing (paper §6.3), whitening start, and the descent of the negentropy (eq. 3). */
import { expected } from "../errors.js";
import { logTwoPi } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import type { TaskRunner } from "../parallel/job.js";
import { type ImageReading, aboutReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import { patchDimension } from "../patches/patch-layout.js";
import type { Seed } from "../random/random-stream.js";
import { cascade } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { type ModelName, namedModel } from "../transforms/model-names.js";
import type { Transform } from "../transforms/transform.js";
import { type PreprocessingKind, preprocessingKinds } from "./fit-preprocessing.js";
import { checkGreedy, checkLayers, fitLayers, startingLayers } from "./fit-layers.js";
import type { Fit, FitCheckpoint } from "./fit-transform.js";
import type { OptimiserName } from "./optimisers.js";
import {
  type ModelStart,
  type PreparationPhase,
  type PreparedFit,
  prepareFit,
} from "./prepare-fit.js";

export interface ModelFitOptions {
  readonly model: ModelName;
  /** Layers H–GDN, one on top of the other, from 1 to 12; default 1 (fit-layers.ts). */
  readonly layers?: number;
  /** Part of the steps, from 0 to 0.9, in which the layers are fitted one after the other, before all move together; default 0. */
  readonly greedy?: number;
  /** Number of images, and how to get one (as a PatchSupply wants it). */
  readonly images: number;
  readonly load: LoadImage;
  readonly reading: ImageReading;
  /** Default "logistic", but "standardize" where patches lose their mean: the curve would come after that. */
  readonly preprocessing?: PreprocessingKind;
  /** Defaults depend on the size of the patches: {@link fitDefaults}. */
  readonly steps?: number;
  readonly batch?: number;
  readonly learningRate?: number;
  readonly optimiser?: OptimiserName;
  /** Keeps q below 1 (docs/mathematics.md). */
  readonly certified?: boolean;
  /** Components of a subspace, of the model "isa"; default 4. */
  readonly subspace?: number;
  /** Part of the images that is not fitted to, default 0.1: at least one of them, unless there is only one, and at most 64. */
  readonly heldOut?: number;
  /** Ends the fit after so many validations in a row without a new best; default 5. There are at most 20 in a fit. */
  readonly patience?: number;
  readonly seed?: Seed;
  /** Images in memory at once, default all. */
  readonly window?: number;
  readonly signal?: AbortSignal;
  readonly onPhase?: (phase: PreparationPhase | "fit") => void;
  readonly onStep?: (progress: FitProgress) => void;
  readonly onValidation?: (progress: FitProgress) => void;
  readonly checkpointEvery?: number;
  readonly onCheckpoint?: (checkpoint: FitCheckpoint) => void | Promise<void>;
  /** Given the start, where an interrupted fit with the same options stood; null: at the start. */
  readonly resume?: (start: Transform) => FitCheckpoint | null | Promise<FitCheckpoint | null>;
}

export interface FitProgress {
  readonly step: number;
  /** Mean of log p of preprocessed samples, in nats. */
  readonly meanLogProb: number;
  /** ΔJ, paper eq. (4), between preprocessed samples and y. */
  readonly negentropyDifferencePerDimension: number;
}

export interface ModelFit {
  readonly model: Model;
  readonly fit: Fit;
  readonly trainingImages: number;
  readonly heldOutImages: number;
}

const optionFields = [
  "model",
  "layers",
  "greedy",
  "images",
  "load",
  "reading",
  "preprocessing",
  "steps",
  "batch",
  "learningRate",
  "optimiser",
  "certified",
  "subspace",
  "heldOut",
  "patience",
  "seed",
  "window",
  "signal",
  "onPhase",
  "onStep",
  "onValidation",
  "checkpointEvery",
  "onCheckpoint",
  "resume",
] as const;

const largePatch = 100;
const validationsOfFit = 20;
/** The first steps go up and down; who looks at each of them stops too early. */
const leastBetweenValidations = 25;

/** ΔJ = E(½‖y‖² − log |det ∂y/∂x| − ½‖x‖²) a dimension, from E log p(x) and ½ E x² (paper eqs. 1 and 4). */
function differenceOf(meanLogProb: number, dimension: number, energyPerDimension: number): number {
  return -meanLogProb / dimension - logTwoPi / 2 - energyPerDimension;
}

export interface FitDefaults {
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
}

/** What fits well in minutes (docs/results.md); models that pool nothing need more steps, but cheap ones. */
export function fitDefaults(model: ModelName, dimension: number): FitDefaults {
  const isLarge = dimension > largePatch;
  const batch = isLarge ? 256 : 512;
  return namedModel(model).structure === "marginal"
    ? { steps: isLarge ? 8000 : 20_000, batch, learningRate: 0.02 }
    : { steps: isLarge ? 2000 : 8000, batch, learningRate: isLarge ? 0.02 : 0.04 };
}

/** Fits a model to images; it says of itself how images are to be read (`about.patch`, `about.preprocessing`). */
export async function fitModel(runner: TaskRunner, options: ModelFitOptions): Promise<ModelFit> {
  checkFields("the options", options, optionFields);
  const settings = settingsOf(options);
  const { steps, batch, learningRate, seed, dimension } = settings;
  const { signal, onPhase, onStep, onValidation, checkpointEvery, onCheckpoint } = options;
  const passed = {
    ...(signal && { signal }),
    ...(options.window === undefined ? {} : { window: options.window }),
  };
  const prepared = await prepareFit(runner, {
    ...passed,
    images: options.images,
    load: options.load,
    reading: options.reading,
    preprocessing: settings.preprocessing,
    start: startOf(options, dimension),
    batch,
    seed,
    heldOut: settings.heldOutImages,
    ...(onPhase && { onPhase }),
  });
  onPhase?.("fit");
  const { validation } = prepared;
  const progressOf = (step: number, meanLogProb: number, energy: number): FitProgress => ({
    step,
    meanLogProb,
    negentropyDifferencePerDimension: differenceOf(meanLogProb, dimension, energy),
  });
  const start = startingLayers(prepared.start, settings.layers);
  const resumed = (await options.resume?.(start)) ?? null;
  const fit = await fitLayers(runner, start, resumed, {
    greedy: settings.greedy,
    steps,
    learningRate,
    batchAt: prepared.batchAt,
    whitening: prepared.whitening,
    optimiser: settings.optimiser,
    certified: options.certified ?? false,
    ...(signal && { signal }),
    ...(checkpointEvery === undefined ? {} : { checkpointEvery }),
    ...(onCheckpoint && { onCheckpoint }),
    onStep: (step, value) => onStep?.(progressOf(step, value, prepared.energyPerDimension)),
    ...(validation && {
      validation: {
        x: validation.x,
        every: Math.max(leastBetweenValidations, Math.ceil(steps / validationsOfFit)),
        patience: settings.patience,
        onValidation: (step: number, value: number) =>
          onValidation?.(progressOf(step, value, validation.energyPerDimension)),
      },
    }),
  });
  return {
    model: modelOf(options, settings, prepared, fit),
    fit,
    trainingImages: prepared.trainingImages,
    heldOutImages: prepared.heldOutImages,
  };
}

interface FitSettings {
  readonly dimension: number;
  readonly layers: number;
  readonly greedy: number;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly optimiser: OptimiserName;
  readonly preprocessing: PreprocessingKind;
  readonly patience: number;
  readonly seed: Seed;
  readonly heldOutImages: number;
}

function settingsOf(options: ModelFitOptions): FitSettings {
  const { reading, images, heldOut = 0.1, optimiser = "adam", seed = 1, patience = 5 } = options;
  const { layers = 1, greedy = 0 } = options;
  checkLayers(layers);
  checkGreedy(greedy);
  const { removeMean } = reading.layout;
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
  const dimension = patchDimension(reading.layout);
  const { steps, batch, learningRate } = fitDefaults(options.model, dimension);
  const { batch: chosenBatch = batch } = options;
  if (!Number.isInteger(chosenBatch) || chosenBatch < 1) {
    throw expected("batch", "be a positive integer", chosenBatch);
  }
  return {
    dimension,
    layers,
    greedy,
    steps: options.steps ?? steps,
    batch: chosenBatch,
    learningRate: options.learningRate ?? learningRate,
    optimiser,
    preprocessing,
    patience,
    seed,
    heldOutImages: heldOut === 0 ? 0 : heldOutCount(images, heldOut),
  };
}

/** More say no more; they are better fitted to. */
const mostHeldOut = 64;

function heldOutCount(images: number, part: number): number {
  return Math.min(images - 1, mostHeldOut, Math.max(1, Math.round(part * images)));
}

function startOf({ model, subspace = 4 }: ModelFitOptions, dimension: number): ModelStart {
  const { structure } = namedModel(model);
  if (structure !== "subspace") return { structure };
  if (!Number.isInteger(subspace) || subspace < 1 || subspace > dimension) {
    throw expected("subspace", `be an integer from 1 to ${dimension}`, subspace);
  }
  return {
    structure,
    partition: Int32Array.from({ length: dimension }, (_, k) => Math.floor(k / subspace)),
  };
}

function modelOf(
  { model: name, reading, images }: ModelFitOptions,
  settings: FitSettings,
  { preprocessing, validation, trainingImages, heldOutImages, highest }: PreparedFit,
  { transform, history, steps, rejectedSteps, validated }: Fit,
): Model {
  const { dimension, layers, greedy, batch, learningRate, optimiser, seed } = settings;
  const { patch, ...about } = aboutReading(reading);
  const { title } = namedModel(name);
  const figures =
    validation && validated
      ? {
          heldOutLogLikelihoodInNats: validated.meanLogProb + validation.logDeterminant,
          negentropyDifferenceInNatsPerPixel: differenceOf(
            validated.meanLogProb,
            dimension,
            validation.energyPerDimension,
          ),
        }
      : {};
  return {
    transform: cascade([preprocessing, transform]),
    about: {
      name: layers === 1 ? title : `${title}, ${layers} layers`,
      ...about,
      // Intensities of `.iml` files end far below 1, and would be shown as black.
      patch: "white" in patch && highest < 0.5 ? { ...patch, white: highest } : patch,
      preprocessing: { ...about.preprocessing, curve: settings.preprocessing, stages: 1 },
      data: { images, trainingImages, heldOutImages },
      seed: typeof seed === "bigint" ? String(seed) : seed,
      training: {
        ...(layers > 1 && { layers, greedy }),
        steps,
        // The transform is that of the best validation.
        ...(validated && { bestStep: validated.step }),
        batch,
        learningRate,
        optimiser,
        rejectedSteps,
        history: history.map(({ step, meanLogProb }) => ({ step, meanLogProb })),
      },
      figures,
    },
  };
}
