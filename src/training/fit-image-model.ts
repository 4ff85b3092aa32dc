/** Fits a density of whole images, the paper's cascade CICA–GDN–CICA–GDN (§4.3), to crops. */
import type { ImageModel } from "../density/model-files/model.js";
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { affine } from "../transforms/affine.js";
import { checkFields } from "../transforms/checks.js";
import { startingConvolution } from "../transforms/convolution.js";
import type { Gdn } from "../transforms/gdn.js";
import { startingGdn } from "../transforms/gdn-start.js";
import {
  type ImageCascade,
  type ImageStage,
  imageCascade,
  isConvolution,
} from "../transforms/image-cascade.js";
import {
  type CascadeGeometry,
  type CascadePreset,
  type SecondNormalization,
  cascadeEnds,
  cascadeGeometry,
  cropShapeOf,
  cropsFor,
} from "./cascade-geometry.js";
import { cascadeObjective, smallestSingularValueOf } from "./cascade-objective.js";
import { frequencyGrid, meanLogProbOfCrops } from "./crop-likelihood.js";
import { fitBlocks } from "./fit-blocks.js";
import { defaultGreedy, imageFitDefaults, locationsOfStep } from "./fit-defaults.js";
import type { OptionsExceptFor } from "./fit-options.js";
import { estimatesPayOff, probeSchedule } from "./gradient-kind.js";
import { fitSettings, fitToImages } from "./fit-to-images.js";
import { ratesOfLargePools } from "./group-rates.js";
import {
  type CommonFitOptions,
  type FitSettings,
  type FittedModel,
  type Subject,
  surroundingFields,
} from "./image-fit.js";
import type { BoundOptions } from "./parameter-bounds.js";
import { checkOptions, namesExceptFor } from "./settle-options.js";

/** Options of {@link fitImageModel}; steps, batch and learningRate default by stride. */
export interface ImageModelFitOptions
  extends CommonFitOptions<ImageCascade, ImageModel>, Omit<CascadeOptions, "seed" | Sizes> {
  readonly preset?: CascadePreset | undefined;
  /**
   * Replaces sizes of the preset. Without a preset all sizes are needed; `stages` defaults to 2.
   */
  readonly geometry?: Partial<CascadeGeometry>;
  /** Conversion of pixels into values; blocks are as large as the stride. */
  readonly reading: Omit<ImageReading, "layout">;
}

export type ImageModelFit = FittedModel<ImageCascade, ImageModel>;

type CascadeOptions = OptionsExceptFor<"patches">;
/** Options that the library replaces by `preset` and `geometry`. */
type Sizes = "cascade" | "stages";

const cascadeOptions = namesExceptFor("patches").filter(
  (name) => !["seed", "cascade", "stages"].includes(name),
);
const optionFields = [
  ...surroundingFields,
  ...cascadeOptions,
  "preset",
  "geometry",
  "reading",
] as const;

/**
 * Largest q. Fits would choose q near 1; then one of the thousands of locations of a sampled image
 * is always so extreme that it dominates the image. Held-out likelihoods are as high with this
 * bound (docs/decisions.md).
 */
const bounds: BoundOptions = { certified: true, exponentBound: 0.8 };
/** Locations to validate with. */
const validationLocations = 2048;

/**
 * Fits a density of whole images. The model records how to read images (`about.patch`,
 * `about.preprocessing`).
 *
 * @example
 * ```js
 * import { InlineRunner, createRandom, loadKernels } from "gaussianize";
 * import { deadLeaves } from "gaussianize/images";
 * import { fitImageModel } from "gaussianize/training";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const load = async (k) => deadLeaves(createRandom(k), { width: 32, height: 32 });
 * const reading = { luminance: "linear", dequantize: false };
 * const options = { preset: "small", images: 3, load, reading, steps: 4 };
 * console.log((await fitImageModel(runner, options)).model.transform.stride); // 4
 * ```
 */
export async function fitImageModel(
  runner: TaskRunner,
  options: ImageModelFitOptions,
): Promise<ImageModelFit> {
  checkFields("the options", options, optionFields);
  const geometry = cascadeGeometry(options.preset, options.geometry);
  checkOptions(options, cascadeOptions);
  if (options.ranks) {
    throw expected("ranks", "be omitted for a fit to whole images", `${options.ranks.size} ranks`);
  }
  const { noiseLevel } = options.reading;
  const asked = fitSettings(options, imageFitDefaults(geometry), { noiseLevel });
  const settings = { ...asked, batch: locationsOfStep(geometry, asked.batch) };
  const subject = cascadeSubject(options, geometry, settings);
  return fitToImages(runner, { options, settings, subject });
}

function cascadeSubject(
  options: ImageModelFitOptions,
  geometry: CascadeGeometry,
  { batch, seed, steps, restarts, optimiser }: FitSettings,
): Subject<ImageCascade, ImageModel> {
  const { greedy = defaultGreedy, secondNormalization = "gdn", gradient = "auto" } = options;
  const { onPhase, onBlockStep, signal } = options;
  const { stride } = geometry;
  const probes = probeSchedule(gradient, { patch: stride }, seed);
  const isTuned = optimiser === "adam" && estimatesPayOff({ patch: stride });
  const groupRates = isTuned ? ratesOfLargePools : undefined;
  const shape = cropShapeOf(geometry);
  const dimension = stride * stride;
  return {
    reading: { ...options.reading, layout: { size: stride, removeMean: false } },
    dimension,
    crops: {
      side: stride * shape.side,
      batch: cropsFor(batch, shape),
      validation: cropsFor(validationLocations, shape),
    },
    start: async (own, prepared) => {
      onPhase?.("blocks");
      const { H, normalization } = await fitBlocks(own, prepared, {
        dimension,
        steps: restarts[0] ?? steps,
        bounds,
        probes: probes ?? undefined,
        groupRates,
        signal,
        onStep: onBlockStep,
      });
      return startingCascade(geometry, H, secondNormalization, normalization);
    },
    layers: (start) => ({
      greedy: geometry.stages === 1 ? 0 : greedy,
      startsNarrow: true,
      ends: cascadeEnds(geometry),
      groupRates,
      ...bounds,
      objectiveFor: cascadeObjective({
        shape,
        seed,
        start,
        probes,
      }),
    }),
    measure: (own, cascade, crops) => meanLogProbOfCrops(own, cascade, crops, shape),
    modelOf: (stage, { stages }, about) => ({
      transform: imageCascade({ stride, stages: [stage, ...stages] }),
      about,
    }),
    nameOf: (fitted) => nameOf(geometry, fitted, secondNormalization),
    training: {
      geometry: { ...geometry },
      greedy,
      secondNormalization,
      frequencyGrid: { ...frequencyGrid },
      ...(probes && { gradient }),
      ...(groupRates && { groupRates: { ...groupRates } }),
      ...(groupRates && { groupRates: { ...groupRates } }),
    },
    likelihoodFigure: (inNats) => ({
      heldOutLogLikelihoodInNatsPerPixel: inNats / (stride * stride),
    }),
    lastFigures: async (runner, fitted) => ({
      smallestSingularValue: await smallestSingularValueOf(runner, fitted),
    }),
  };
}

/** Counts the stages of the cascade: a greedy fit starts with fewer than requested. */
function nameOf(
  { stride, filterBlocks }: CascadeGeometry,
  { stages }: ImageCascade,
  second: SecondNormalization,
): string {
  const count = stages.filter(isConvolution).length;
  const layers = ["CICA–GDN", second === "gdn" ? "CICA–GDN" : "CICA–MG"].slice(0, count).join("–");
  const side = stride * filterBlocks;
  return `${layers}, ${stride * stride} filters of ${side}×${side}`;
}

/**
 * Returns the start of a fit, which is invertible on fields of every size: only the middle tap of
 * each convolution is not 0. The first convolution applies H to blocks; the second one and its GDN
 * are nearly the identity.
 */
export function startingCascade(
  { stride, filterBlocks, neighbourhood, stages }: CascadeGeometry,
  H: ArrayLike<number>,
  secondNormalization: SecondNormalization = "gdn",
  firstNormalization?: Gdn<"column">,
): ImageCascade {
  const maps = stride * stride;
  const gdn = (structure: "column" | "marginal", isNearIdentity: boolean) =>
    startingGdn({ structure, dimension: maps, isNearIdentity });
  const first: readonly ImageStage[] = [
    startingConvolution({ maps, width: filterBlocks, H }),
    firstNormalization ?? gdn("column", false),
  ];
  const shift = affine({
    dimension: maps,
    scale: new Float32Array(maps).fill(1),
    shift: new Float32Array(maps),
  });
  // Finding independent components takes a nonlinearity; a nonlinear GDN would undo the first one.
  const last = secondNormalization === "gdn" ? gdn("column", true) : gdn("marginal", false);
  const second = [shift, startingConvolution({ maps, width: neighbourhood }), last];
  return imageCascade({ stride, stages: stages === 1 ? first : [...first, ...second] });
}
