/**
 * A fit to images: prepares the data, fits, judges the result, and describes the model. Fits of
 * patches and of whole images differ only in their {@link Subject}.
 */
import { logTwoPi } from "../density/induced-density.js";
import { transformsOf } from "../density/mixtures/leaves.js";
import { type Mixture, isMixture } from "../density/mixtures/mixture.js";
import type { AnyModel } from "../density/model-files/model.js";
import { requireWorkForAll, sharesOf } from "../density/ranked-passes.js";
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { portableLog } from "../numbers/logarithm.js";
import type { TaskRunner } from "../parallel/job.js";
import { aboutReading } from "../patches/image-reading.js";
import { cascade, stagesOf, withStages } from "../transforms/cascade.js";
import { type FittedTransform, sideBySide } from "../transforms/side-by-side.js";
import type { Stage, Transform } from "../transforms/transform.js";
import type { FitDefaults } from "./fit-defaults.js";
import { type LayerFitOptions, checkRestarts, fitLayers } from "./fit-layers.js";
import { LostFit } from "./fit-loop.js";
import type { Decided } from "./fit-option.js";
import { type FitProblem, type JudgedFit, type Judging, judgeFit } from "./fit-problem.js";
import type { Fit, FitCheckpoint } from "./fit-records.js";
import { fitAt } from "./fit-transform.js";
import type {
  CommonFitOptions,
  Figures,
  FitProgress,
  FitSettings,
  FitTask,
  FittedModel,
  Subject,
} from "./image-fit.js";
import { prepareFit } from "./prepare-fit.js";
import { withDefaults } from "./settle-options.js";
import { logProbsOf, validationInterval } from "./validation.js";

const settingNames = ["optimiser", "preprocessing", "patience", "heldOut"] as const;

/** Returns the options that all fits share; `sizes` are the defaults for what is fitted. */
export function fitSettings<T extends FittedTransform, M extends AnyModel>(
  options: CommonFitOptions<T, M>,
  sizes: FitDefaults,
  decided: Pick<Decided, "removeMean" | "noiseLevel">,
): FitSettings {
  const { images, seed = 1, restarts = [], ranks } = options;
  if (!Number.isInteger(images) || images < 1) {
    throw expected("images", "be a positive integer", images);
  }
  const settings = withDefaults(options, settingNames, decided);
  const { preprocessing } = settings;
  if (decided.removeMean && preprocessing === "logistic") {
    throw expected("preprocessing", "be standardize for patches without a mean", preprocessing);
  }
  const { steps = sizes.steps, batch = sizes.batch, learningRate = sizes.learningRate } = options;
  if (ranks) requireWorkForAll(batch, ranks.size);
  checkRestarts(restarts, steps);
  return { ...settings, steps, batch, learningRate, restarts, seed };
}

export async function fitToImages<T extends FittedTransform, M extends AnyModel>(
  runner: TaskRunner,
  given: Pick<FitTask<T, M>, "options" | "settings" | "subject">,
): Promise<FittedModel<T, M>> {
  const { options, settings, subject } = given;
  const { reading, crops } = subject;
  const prepared = await prepareFit(runner, {
    ...options,
    ...settings,
    reading,
    ...(crops && { crops, batch: crops.batch }),
  });
  const task = { ...given, prepared, start: await subject.start(runner, prepared) };
  const { fit, problem } = await judgedFit(runner, task);
  const figures = await subject.lastFigures?.(runner, fit.transform);
  const { trainingImages, heldOutImages } = prepared;
  return {
    model: modelOf(task, fit, problem, figures),
    problem,
    fit,
    trainingImages,
    heldOutImages,
  };
}

async function judgedFit<T extends FittedTransform, M extends AnyModel>(
  runner: TaskRunner,
  task: FitTask<T, M>,
): Promise<JudgedFit<T>> {
  const { options, settings, subject, prepared, start } = task;
  const { validation } = prepared;
  options.onPhase?.("fit");
  const resumed = (await options.resume?.(start)) ?? null;
  let isLost = false;
  const fit = await fitLayers(runner, start, resumed, layerOptions(task)).catch(
    (error: unknown) => {
      // If the first step was impossible, there is no result to judge.
      if (!(error instanceof LostFit) || error.checkpoint.step === 0) throw error;
      isLost = true;
      return fitAt(error.checkpoint as FitCheckpoint<T>);
    },
  );
  // Each rank compares on its own, with samples that all ranks have.
  const x = validation?.x ?? prepared.compared ?? (await prepared.batchAt(settings.steps - 1));
  const { finished } = options;
  return judgeFit(fit, {
    start: finished ? withParametersOf(finished, start) : start,
    isExtension: finished !== undefined,
    dimension: subject.dimension,
    isHeldOut: validation !== null,
    isLost,
    parts: comparisons(runner, subject, x, validation === null),
  });
}

/** Returns the fitted part of a model, without its preprocessing, in the form of the start. */
function withParametersOf<T extends FittedTransform>({ transform }: AnyModel, start: T): T {
  const all = isMixture(transform)
    ? transformsOf(transform).map((each) => each.transform)
    : [transform];
  const fitted = all.map((each) => stagesOf(each).slice(1));
  if (start.kind !== "side-by-side") return withStages(start, fitted[0]);
  const components = fitted.map((stages) => cascade(stages as readonly Stage[]));
  const { weights } = (
    transform.kind === "symmetric-mixture" ? transform.density : transform
  ) as Mixture;
  return sideBySide(components, weights.map(portableLog)) as FittedTransform as T;
}

/** Samples of the first comparison; all are compared if it is not clear. */
const firstCompared = 512;

/** Returns the comparisons of start and result; `isCut` makes two parts of samples of patches. */
function comparisons<T extends FittedTransform, M extends AnyModel>(
  runner: TaskRunner,
  { measure, dimension }: Subject<T, M>,
  x: FloatArray,
  isCut: boolean,
): Judging<T>["parts"] {
  if (measure) return [async (transform) => [await measure(runner, transform, x)]];
  const cut = firstCompared * dimension;
  const parts = isCut && x.length > cut ? [x.subarray(0, cut), x.subarray(cut)] : [x];
  // Without a measure of their own, fits are to patches.
  return parts.map((part) => (transform) => logProbsOf(runner, transform as Transform, part));
}

function layerOptions<T extends FittedTransform, M extends AnyModel>(
  task: FitTask<T, M>,
): LayerFitOptions<T> {
  const { options, settings, subject, prepared, start } = task;
  const { signal, abandonment, ranks, onStep, onValidation, onCheckpoint } = options;
  const { checkpointEvery, checkpointSeconds, checkpointShare } = options;
  const { steps, batch, learningRate, optimiser, patience, restarts } = settings;
  const { validation, energyPerDimension, whitening } = prepared;
  const progressOf = (step: number, meanLogProb: number, energy: number): FitProgress => ({
    step,
    meanLogProb,
    negentropyDifferencePerDimension: differenceOf(meanLogProb, subject.dimension, energy),
  });
  // Each rank makes only its part of a batch, and loads only the images for it.
  const part = ranks && sharesOf(batch, ranks.size).nodes[ranks.rank];
  return {
    ...subject.layers(start),
    steps,
    restarts,
    learningRate,
    batchAt: (step) => prepared.batchAt(step, part),
    whitening,
    optimiser,
    signal,
    abandonment,
    ranked: ranks && { ranks, batch },
    checkpointEvery,
    checkpointSeconds,
    checkpointShare,
    onCheckpoint: (checkpoint) =>
      onCheckpoint?.(checkpoint, () => modelOf(task, fitAt(checkpoint))),
    onStep: (step, value, { smallestSingularValue, estimate }) =>
      onStep?.({
        ...progressOf(step, value, energyPerDimension),
        ...(smallestSingularValue !== undefined && { smallestSingularValue }),
        ...(estimate && { estimate }),
      }),
    ...(validation && {
      validation: {
        x: validation.x,
        measure: subject.measure,
        every: validationInterval(restarts[0] ?? steps),
        patience,
        onValidation: (step: number, value: number) =>
          onValidation?.(progressOf(step, value, validation.energyPerDimension)),
      },
    }),
  };
}

/** Returns ΔJ = E(½‖y‖² − log |det ∂y/∂x| − ½‖x‖²) per dimension (paper eqs. 1 and 4). */
function differenceOf(meanLogProb: number, dimension: number, energyPerDimension: number): number {
  return -meanLogProb / dimension - logTwoPi / 2 - energyPerDimension;
}

/** Returns the model of a fit that ends here. */
function modelOf<T extends FittedTransform, M extends AnyModel>(
  task: FitTask<T, M>,
  fit: Fit<T>,
  problem: FitProblem | null = null,
  lastFigures: Figures = {},
): M {
  const { transform, history, steps, rejectedSteps, validated } = fit;
  const { options, settings, subject, prepared } = task;
  const { images, origin } = options;
  const { batch, learningRate, optimiser, seed, restarts } = settings;
  const { trainingImages, heldOutImages, highest } = prepared;
  const { patch, ...about } = aboutReading(subject.reading);
  return subject.modelOf(prepared.preprocessing, transform, {
    name: subject.nameOf(transform),
    ...about,
    // Intensities of `.iml` files end far below 1, and would be shown as black.
    patch: "white" in patch && highest < 0.5 ? { ...patch, white: highest } : patch,
    preprocessing: {
      ...about.preprocessing,
      curve: settings.preprocessing,
      stages: 1,
      ...(typeof origin?.protocol === "string" && { protocol: origin.protocol }),
      ...(origin?.removeSaturated && { removeSaturated: true }),
    },
    data: {
      images,
      trainingImages,
      heldOutImages,
      // Computed, not counted: a process only meets the damaged files that it happens to read.
      ...(origin && { skippedImages: origin.images - trainingImages - heldOutImages }),
      ...(origin && { hash: origin.hash }),
    },
    seed: typeof seed === "bigint" ? String(seed) : seed,
    training: {
      ...subject.training,
      steps,
      ...(restarts.length > 0 && { restarts }),
      ...(problem && { problem: problem.kind }),
      ...(validated && { bestStep: validated.step }),
      batch,
      learningRate,
      optimiser,
      rejectedSteps,
      history: history.map(({ step, meanLogProb }) => ({ step, meanLogProb })),
    },
    figures: { ...heldOutFigures(task, validated), ...lastFigures },
  });
}

function heldOutFigures<T extends FittedTransform, M extends AnyModel>(
  { subject, prepared: { validation } }: FitTask<T, M>,
  validated: Fit<T>["validated"],
): Figures {
  if (!validation || !validated) return {};
  const { meanLogProb } = validated;
  const { logDeterminant, energyPerDimension } = validation;
  return {
    ...subject.likelihoodFigure(meanLogProb + logDeterminant),
    negentropyDifferenceInNatsPerPixel: differenceOf(
      meanLogProb,
      subject.dimension,
      energyPerDimension,
    ),
  };
}
