/**
 * A fit to images, of patches or whole: prepares the data, fits, judges the result, and describes
 * the model. The two kinds differ in their {@link Subject} only.
 */
import type { AnyModel } from "../density/model-files/model.js";
import { requireWorkForAll, sharesOf } from "../density/ranked-passes.js";
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import { stagesOf, withStages } from "../transforms/cascade.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import { differenceOf, modelOf } from "./describe-fit.js";
import type { FitDefaults } from "./fit-defaults.js";
import { type LayerFitOptions, checkRestarts, fitLayers } from "./fit-layers.js";
import { LostFit } from "./fit-loop.js";
import { type JudgedFit, judgeFit } from "./fit-problem.js";
import type { FitCheckpoint } from "./fit-records.js";
import { fitAt } from "./fit-transform.js";
import type {
  CommonFitOptions,
  FitProgress,
  FitSettings,
  FitTask,
  FittedModel,
} from "./image-fit.js";
import { prepareFit } from "./prepare-fit.js";
import { withDefaults } from "./settle-options.js";
import { type Measure, meanLogProbOf, validationInterval } from "./validation.js";

const settingNames = ["optimiser", "preprocessing", "patience", "heldOut"] as const;

/** Returns the options that all fits share; `defaults` depend on what is fitted. */
export function fitSettings<T extends AnyTransform, M extends AnyModel>(
  options: CommonFitOptions<T, M>,
  defaults: FitDefaults,
  removeMean: boolean,
): FitSettings {
  const { images, seed = 1, restarts = [], ranks } = options;
  if (!Number.isInteger(images) || images < 1) {
    throw expected("images", "be a positive integer", images);
  }
  const settings = withDefaults(options, settingNames, { removeMean });
  const { preprocessing } = settings;
  if (removeMean && preprocessing === "logistic") {
    throw expected("preprocessing", "be standardize where patches lose their mean", preprocessing);
  }
  const {
    steps = defaults.steps,
    batch = defaults.batch,
    learningRate = defaults.learningRate,
  } = options;
  if (ranks) requireWorkForAll(batch, ranks.size);
  checkRestarts(restarts, steps);
  return { ...settings, steps, batch, learningRate, restarts, seed };
}

export async function fitToImages<T extends AnyTransform, M extends AnyModel>(
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
  const task = { ...given, prepared, start: subject.start(prepared.whitening) };
  const { fit, problem } = await judgedFit(runner, task);
  const figures = (await subject.lastFigures?.(runner, fit.transform)) ?? {};
  const { trainingImages, heldOutImages } = prepared;
  return {
    model: modelOf(task, fit, problem, figures),
    problem,
    fit,
    trainingImages,
    heldOutImages,
  };
}

async function judgedFit<T extends AnyTransform, M extends AnyModel>(
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
      // Where the first step already was impossible, there is nothing to judge.
      if (!(error instanceof LostFit) || error.checkpoint.step === 0) throw error;
      isLost = true;
      return fitAt(error.checkpoint as FitCheckpoint<T>);
    },
  );
  // Each rank compares by itself, with samples that all of them have.
  const x = validation?.x ?? prepared.compared ?? (await prepared.batchAt(settings.steps - 1));
  const compare = subject.measure ?? (meanLogProbOf as Measure<never> as Measure<T>);
  const { finished } = options;
  return judgeFit(fit, {
    start: finished ? withStages(start, stagesOf(finished.transform).slice(1)) : start,
    isExtension: finished !== undefined,
    dimension: subject.dimension,
    isHeldOut: validation !== null,
    isLost,
    measure: (transform) => compare(runner, transform, x),
  });
}

function layerOptions<T extends AnyTransform, M extends AnyModel>(
  task: FitTask<T, M>,
): LayerFitOptions<T> {
  const { options, settings, subject, prepared, start } = task;
  const { signal, abandonment, ranks, onStep, onValidation, onCheckpoint } = options;
  const { checkpointEvery, checkpointSeconds } = options;
  const { steps, batch, learningRate, optimiser, patience, restarts } = settings;
  const { validation, energyPerDimension } = prepared;
  const { measure } = subject;
  const progressOf = (step: number, meanLogProb: number, energy: number): FitProgress => ({
    step,
    meanLogProb,
    negentropyDifferencePerDimension: differenceOf(meanLogProb, subject.dimension, energy),
  });
  // Each rank makes, and loads the images for, its part of a batch only.
  const part = ranks && sharesOf(batch, ranks.size).nodes[ranks.rank];
  return {
    ...subject.layers(start),
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
    onCheckpoint: (checkpoint) =>
      onCheckpoint?.(checkpoint, () => modelOf(task, fitAt(checkpoint))),
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
  };
}
