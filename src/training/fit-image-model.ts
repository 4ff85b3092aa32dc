/** Images in, a density of whole images out: the paper's cascade CICA–GDN–CICA–GDN (§4.3), fitted to crops. */
import { expected } from "../errors.js";
import type { ImageModel } from "../density/model-files/model.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { checkFields } from "../transforms/checks.js";
import { type ImageCascade, imageCascade } from "../transforms/image-cascade.js";
import {
  type CascadeGeometry,
  type CascadePreset,
  type SecondNormalization,
  cascadeEnds,
  cascadeGeometry,
  cropShapeOf,
  secondNormalizations,
  startingCascade,
} from "./cascade-geometry.js";
import { cascadeObjective, smallestSingularValueOf } from "./cascade-objective.js";
import type { CropShape } from "./crop-fields.js";
import { frequencyGrid, meanLogProbOfCrops } from "./crop-likelihood.js";
import { checkGreedy } from "./fit-layers.js";
import {
  type FitDefaults,
  type CommonFitOptions,
  aboutFit,
  differenceOf,
  fitPrepared,
  fitSettings,
  commonFitFields,
} from "./fit-settings.js";
import type { FitProblem } from "./fit-problem.js";
import { type Fit, type FitCheckpoint, fitAt } from "./fit-transform.js";
import { type PreparedFit, prepareFit } from "./prepare-fit.js";

/** Defaults of steps, batch (locations of a step) and learningRate depend on the stride: {@link imageFitDefaults}. */
export interface ImageModelFitOptions extends Omit<
  CommonFitOptions<ImageCascade>,
  "certified" | "onCheckpoint"
> {
  readonly preset?: CascadePreset;
  /** In place of the sizes of the preset; without one, all of them (2 stages, unless it says otherwise). */
  readonly geometry?: Partial<CascadeGeometry>;
  /** How pixels become values; blocks are as large as the stride. */
  readonly reading: Omit<ImageReading, "layout">;
  /** Part of the steps, from 0 to 1, in which the stages are fitted one after the other, before all move together; 1 is the paper's way. */
  readonly greedy?: number;
  /** Default "gdn". */
  readonly secondNormalization?: SecondNormalization;
  /** `model` makes what would come out if the fit ended there, but for its smallest singular value. */
  readonly onCheckpoint?: (
    checkpoint: FitCheckpoint<ImageCascade>,
    model: () => ImageModel,
  ) => void | Promise<void>;
}

export interface ImageModelFit {
  /** With a `problem`: the better one of start and result. */
  readonly model: ImageModel;
  /** Why the model is not usable; null where it is. */
  readonly problem: FitProblem | null;
  readonly fit: Fit<ImageCascade>;
  readonly trainingImages: number;
  readonly heldOutImages: number;
}

const optionFields = [
  // Cascades always are.
  ...commonFitFields.filter((field) => field !== "certified"),
  "preset",
  "geometry",
  "reading",
  "greedy",
  "secondNormalization",
];

/** By measurement (docs/decisions.md). */
export const defaultGreedy = 0.4;
/**
 * Few maps, and thousands of locations in an image: with q near 1, as fits would have it, one of them is always so far out that it
 * drowns the sample. Held-out likelihoods are no worse for it (docs/decisions.md).
 */
const largestExponent = 0.8;
/** To validate with. */
const validationLocations = 2048;

/** Sizes of steps, and how many: small cascades in minutes, the paper's in hours. */
export function imageFitDefaults({ stride }: Pick<CascadeGeometry, "stride">): FitDefaults {
  if (stride <= 4) return { steps: 8000, batch: 512, learningRate: 0.03 };
  if (stride <= 8) return { steps: 4000, batch: 256, learningRate: 0.02 };
  return { steps: 4000, batch: 256, learningRate: 0.01 };
}

/** In pixels, of the crops that a fit looks at: images must not be smaller. */
export function cropSideOf(geometry: CascadeGeometry): number {
  const { stride, side } = cropShapeOf(geometry);
  return stride * side;
}

/** `batch` as it comes out: steps look at whole crops, one at least. */
export function locationsOfStep(geometry: CascadeGeometry, batch: number): number {
  const shape = cropShapeOf(geometry);
  return cropsFor(batch, shape) * (shape.counted * shape.counted);
}

/** Fits a cascade to images; it says of itself how images are to be read (`about.patch`, `about.preprocessing`). */
export async function fitImageModel(
  runner: TaskRunner,
  options: ImageModelFitOptions,
): Promise<ImageModelFit> {
  checkFields("the options", options, optionFields);
  const { images, load, signal, window, runs, onPhase, greedy = defaultGreedy } = options;
  const { secondNormalization = "gdn" } = options;
  const geometry = cascadeGeometry(options.preset, options.geometry);
  checkGreedy(greedy, 1);
  if (options.ranks) {
    throw expected("ranks", "be left out for a fit to whole images", `${options.ranks.size} ranks`);
  }
  if (!secondNormalizations.includes(secondNormalization)) {
    const rule = `be one of ${secondNormalizations.join(", ")}`;
    throw expected("secondNormalization", rule, secondNormalization);
  }
  const { stride } = geometry;
  const reading = { ...options.reading, layout: { size: stride, removeMean: false } };
  const asked = fitSettings(options, imageFitDefaults(geometry), false);
  const settings = { ...asked, batch: locationsOfStep(geometry, asked.batch) };
  const shape = cropShapeOf(geometry);
  const prepared = await prepareFit(runner, {
    images,
    load,
    reading,
    preprocessing: settings.preprocessing,
    batch: cropsFor(settings.batch, shape),
    crops: { side: stride * shape.side, validation: cropsFor(validationLocations, shape) },
    seed: settings.seed,
    heldOut: settings.heldOut,
    ...(signal && { signal }),
    ...(window === undefined ? {} : { window }),
    ...(runs && { runs }),
    ...(onPhase && { onPhase }),
  });
  const start = startingCascade(geometry, prepared.whitening, secondNormalization);
  const { seed } = settings;
  const { preprocessing, trainingImages, heldOutImages } = prepared;
  const { origin, onCheckpoint } = options;
  const modelOf = (
    fit: Fit<ImageCascade>,
    own: Record<string, number> = {},
    problem: FitProblem | null = null,
  ): ImageModel => {
    // Before its end, a greedy fit has fewer than were asked for.
    const stages =
      fit.transform.stages.filter(({ kind }) => kind === "convolution").length > 1 ? 2 : 1;
    const name = nameOf({ ...geometry, stages }, secondNormalization);
    return {
      transform: imageCascade({ stride, stages: [preprocessing, ...fit.transform.stages] }),
      about: aboutFit(
        { reading, images, name, origin },
        settings,
        prepared,
        fit,
        {
          training: {
            geometry: { ...geometry },
            ...{ greedy, secondNormalization },
            // Of the figure.
            frequencyGrid: { ...frequencyGrid },
          },
          figures: { ...figuresOf(prepared, fit, stride * stride), ...own },
        },
        problem,
      ),
    };
  };
  const common: CommonFitOptions<ImageCascade> = {
    ...options,
    onCheckpoint: (checkpoint) => onCheckpoint?.(checkpoint, () => modelOf(fitAt(checkpoint))),
  };
  const { fit, problem } = await fitPrepared(
    runner,
    start,
    stride * stride,
    prepared,
    common,
    settings,
    {
      greedy: geometry.stages === 1 ? 0 : greedy,
      ends: cascadeEnds(geometry),
      certified: true,
      exponentBound: largestExponent,
      objectiveFor: cascadeObjective({ shape, frequencies: frequenciesOf(stride), seed, start }),
      measure: (own, cascade, crops) => meanLogProbOfCrops(own, cascade, crops, shape),
    },
  );
  const smallestSingularValue = await smallestSingularValueOf(runner, fit.transform);
  const model = modelOf(fit, { smallestSingularValue }, problem);
  return { model, problem, fit, trainingImages, heldOutImages };
}

function cropsFor(locations: number, { counted }: CropShape): number {
  return Math.max(1, Math.round(locations / (counted * counted)));
}

/** Of a step: an elimination of C³ each, beside those of its locations. */
function frequenciesOf(stride: number): number {
  return stride <= 8 ? 64 : 32;
}

function nameOf(
  { stride, filterBlocks, stages }: CascadeGeometry,
  second: SecondNormalization,
): string {
  const layers = ["CICA–GDN", second === "gdn" ? "CICA–GDN" : "CICA–MG"].slice(0, stages).join("–");
  const side = stride * filterBlocks;
  return `${layers}, ${stride * stride} filters of ${side}×${side}`;
}

function figuresOf({ validation }: PreparedFit, { validated }: Fit<ImageCascade>, maps: number) {
  if (!validation || !validated) return {};
  const { meanLogProb } = validated;
  return {
    heldOutLogLikelihoodInNatsPerPixel: (meanLogProb + validation.logDeterminant) / maps,
    negentropyDifferenceInNatsPerPixel: differenceOf(
      meanLogProb,
      maps,
      validation.energyPerDimension,
    ),
  };
}
