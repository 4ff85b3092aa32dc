/**
 * Fits a density of patches to images: preprocessing (paper §6.3), whitening, and descent of the
 * negentropy (eq. 3).
 */
import { symmetricMixture } from "../density/mixtures/mixture.js";
import type { Model, PatchModel } from "../density/model-files/model.js";
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { patchDimension } from "../patches/patch-layout.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { type GdnStart, startingGdn } from "../transforms/gdn-start.js";
import { type ModelName, namedModel } from "../transforms/model-names.js";
import type { Transform } from "../transforms/transform.js";
import { fitDefaults, largestPoolRank } from "./fit-defaults.js";
import { startingLayers } from "./fit-layers.js";
import { type OptionsExceptFor, mostGreedyOfLayers } from "./fit-options.js";
import { fitSettings, fitToImages } from "./fit-to-images.js";
import { estimatesPayOff, probeSchedule } from "./gradient-kind.js";
import { ratesOfLargePools } from "./group-rates.js";
import { aloneShare, symmetricMeasure, symmetricObjective } from "./symmetric-fit.js";
import {
  type CommonFitOptions,
  type FittedModel,
  type Subject,
  surroundingFields,
} from "./image-fit.js";
import { checkOptions, namesExceptFor, withDefaults } from "./settle-options.js";

/** Options of {@link fitModel}; steps, batch and learningRate default by patch size and model. */
export interface ModelFitOptions
  extends CommonFitOptions<Transform, PatchModel>, Omit<PatchOptions, "seed" | "model"> {
  readonly model: ModelName;
  readonly reading: ImageReading;
}

/** A fitted density of patches; a mixture if the fit was symmetric. */
export type ModelFit<M extends PatchModel = PatchModel> = FittedModel<Transform, M>;

type PatchOptions = OptionsExceptFor<"cascades">;

const patchOptions = namesExceptFor("cascades").filter((name) => name !== "seed");
const optionFields = [...surroundingFields, ...patchOptions, "reading"] as const;
const subjectNames = [
  "layers",
  "couplings",
  "symmetric",
  "certified",
  "subspace",
  "poolRank",
] as const;

/**
 * Fits a density of patches to images. The model records how to read images (`about.patch`,
 * `about.preprocessing`).
 *
 * @example
 * ```js
 * import { InlineRunner, createRandom, loadKernels } from "gaussianize";
 * import { deadLeaves } from "gaussianize/images";
 * import { fitModel } from "gaussianize/training";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const load = async (k) => deadLeaves(createRandom(k), { width: 32, height: 32 });
 * const layout = { size: 2, removeMean: false };
 * const reading = { luminance: "linear", dequantize: false, layout };
 * const { model } = await fitModel(runner, { model: "gdn", images: 3, load, reading, steps: 10 });
 * console.log(model.about.name); // GDN
 * ```
 */
export function fitModel(
  runner: TaskRunner,
  options: ModelFitOptions & { readonly symmetric?: false | undefined },
): Promise<ModelFit<Model>>;
export function fitModel(runner: TaskRunner, options: ModelFitOptions): Promise<ModelFit>;
export async function fitModel(runner: TaskRunner, options: ModelFitOptions): Promise<ModelFit> {
  checkFields("the options", options, optionFields);
  checkOptions(options, patchOptions);
  const { model, reading, poolRank = 0, layers = 1 } = options;
  const { layout, noiseLevel } = reading;
  const sizes = fitDefaults(model, patchDimension(layout), poolRank, layers);
  const settings = fitSettings(options, sizes, { removeMean: layout.removeMean, noiseLevel });
  return fitToImages(runner, { options, settings, subject: patchSubject(options) });
}

function patchSubject(options: ModelFitOptions): Subject<Transform, PatchModel> {
  const { model, reading, greedy = 0, gradient = "auto", seed = 1 } = options;
  const dimension = patchDimension(reading.layout);
  const { layers, couplings, symmetric, ...own } = withDefaults(options, subjectNames, options);
  if (greedy > mostGreedyOfLayers) {
    throw expected("greedy", `be a number from 0 to ${mostGreedyOfLayers}`, greedy);
  }
  if (symmetric && greedy > 0) throw expected("greedy", "be 0 for a symmetric fit", greedy);
  if (couplings > 0 && layers === 1) throw expected("couplings", "be 0 for one layer", couplings);
  if (symmetric && options.ranks) {
    throw expected("ranks", "be omitted for a symmetric fit", `${options.ranks.size} ranks`);
  }
  if (options.finished && (options.finished.transform.kind === "symmetric-mixture") !== symmetric) {
    const rule = symmetric ? "be a symmetric mixture" : "be a model of one transform";
    throw expected("finished", `${rule}, as its fit`, options.finished.transform.kind);
  }
  const start = startOf(model, dimension, own);
  const { layout } = reading;
  const { size: patch, removeMean } = layout;
  const decided = { model, poolRank: own.poolRank, patch, removeMean };
  const probes = probeSchedule(gradient, decided, seed);
  // Found for Adam, whose moves do not depend on the length of a gradient.
  const { optimiser = "adam" } = options;
  const isTuned = optimiser === "adam" && estimatesPayOff(decided);
  const groupRates = isTuned ? ratesOfLargePools : undefined;
  return {
    reading,
    dimension,
    start: (_, { whitening: H }) => startingLayers(startingGdn({ ...start, H }), layers, couplings),
    layers: () => ({
      greedy,
      certified: own.certified,
      ...(groupRates && { groupRates }),
      ...(symmetric
        ? {
            ...(layers > 1 && { alone: aloneShare }),
            objectiveFor: (phase, firstLayer) =>
              symmetricObjective({ layout, seed, probes: probes ?? undefined }, phase, firstLayer),
          }
        : probes && { probes }),
    }),
    ...(symmetric && { measure: symmetricMeasure(layout) }),
    modelOf: (stage, fitted, about) => {
      const density = cascade([stage, fitted]);
      if (!symmetric) return { transform: density, about };
      const { size: side } = layout;
      return { transform: symmetricMixture({ side, removeMean, density }), about };
    },
    nameOf: (fitted) => nameOf(model, { ...own, symmetric }, fitted),
    training: {
      ...(layers > 1 && { layers, greedy }),
      ...(couplings > 0 && { couplings }),
      ...(symmetric && { symmetric }),
      ...(probes && { gradient }),
      ...(groupRates && { groupRates: { ...groupRates } }),
    },
    likelihoodFigure: (inNats) => ({ heldOutLogLikelihoodInNats: inNats }),
  };
}

/** Counts the layers of the transform: some fits start with fewer than requested. */
function nameOf(
  model: ModelName,
  { poolRank, symmetric }: { readonly poolRank: number; readonly symmetric: boolean },
  transform: Transform,
): string {
  const kinds = stagesOf(transform).map(({ kind }) => kind);
  const layers = kinds.filter((kind) => kind === "gdn").length;
  return [
    poolRank > 0 ? `GDN, rank ${poolRank}` : namedModel(model).title,
    ...(layers > 1 ? [`${layers} layers`] : []),
    ...(kinds.includes("coupling") ? ["with couplings"] : []),
    ...(symmetric ? ["symmetric"] : []),
  ].join(", ");
}

function startOf(
  model: ModelName,
  dimension: number,
  { subspace, poolRank }: { readonly subspace: number; readonly poolRank: number },
): GdnStart {
  const { structure } = namedModel(model);
  requirePoolRank(model, poolRank, dimension);
  if (poolRank > 0) return { structure: "low-rank", dimension, rank: poolRank };
  if (structure !== "subspace") return { structure, dimension };
  if (subspace > dimension) {
    throw expected("subspace", `be a whole number from 1 to ${dimension}`, subspace);
  }
  return {
    structure,
    dimension,
    partition: Int32Array.from({ length: dimension }, (_, k) => Math.floor(k / subspace)),
  };
}

function requirePoolRank(model: ModelName, poolRank: number, dimension: number): void {
  if (poolRank === 0) return;
  if (model !== "gdn") throw expected("poolRank", 'be 0, unless the model is "gdn"', poolRank);
  const most = largestPoolRank(dimension);
  if (poolRank > most) {
    throw expected("poolRank", `be a whole number from 0 to ${most}`, poolRank);
  }
}
