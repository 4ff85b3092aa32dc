/** The model of a fit to images, and what it says of itself. */
import { logTwoPi } from "../density/induced-density.js";
import type { AnyModel, ModelAbout } from "../density/model-files/model.js";
import { aboutReading } from "../patches/image-reading.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { FitProblem } from "./fit-problem.js";
import type { Fit } from "./fit-records.js";
import type { Figures, FitTask } from "./image-fit.js";

/** Returns the model that comes out where the fit ends. */
export function modelOf<T extends AnyTransform, M extends AnyModel>(
  task: FitTask<T, M>,
  fit: Fit<T>,
  problem: FitProblem | null = null,
  figures: Figures = {},
): M {
  const { subject, prepared } = task;
  const about = aboutFit(task, fit, problem);
  return subject.modelOf(prepared.preprocessing, fit.transform, {
    ...about,
    figures: { ...about.figures, ...figures },
  });
}

/**
 * ΔJ = E(½‖y‖² − log |det ∂y/∂x| − ½‖x‖²) a dimension, from E log p(x) and ½ E x² (paper eqs. 1 and
 * 4).
 */
export function differenceOf(
  meanLogProb: number,
  dimension: number,
  energyPerDimension: number,
): number {
  return -meanLogProb / dimension - logTwoPi / 2 - energyPerDimension;
}

/** What is known of a model after its fit. */
function aboutFit<T extends AnyTransform, M extends AnyModel>(
  task: FitTask<T, M>,
  { transform, history, steps, rejectedSteps, validated }: Fit<T>,
  problem: FitProblem | null,
): ModelAbout {
  const { options, settings, subject, prepared } = task;
  const { images, origin } = options;
  const { batch, learningRate, optimiser, seed, restarts } = settings;
  const { trainingImages, heldOutImages, highest } = prepared;
  const { patch, ...about } = aboutReading(subject.reading);
  return {
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
      // Not as many as this process met: what a damaged file among very many is found by depends on
      // how far one came.
      ...(origin && { skippedImages: origin.images - trainingImages - heldOutImages }),
      ...(origin && { hash: origin.hash }),
    },
    seed: typeof seed === "bigint" ? String(seed) : seed,
    training: {
      ...subject.training,
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
    figures: heldOutFigures(task, validated),
  };
}

function heldOutFigures<T extends AnyTransform, M extends AnyModel>(
  { subject, prepared: { validation } }: FitTask<T, M>,
  validated: Fit<T>["validated"],
): Figures {
  if (!validation || !validated) return {};
  const { meanLogProb } = validated;
  const { dimension } = subject;
  return {
    ...subject.likelihoodFigure(meanLogProb + validation.logDeterminant),
    negentropyDifferenceInNatsPerPixel: differenceOf(
      meanLogProb,
      dimension,
      validation.energyPerDimension,
    ),
  };
}
