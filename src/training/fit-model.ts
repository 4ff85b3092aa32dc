/**
 * Fits a density of patches to images: preprocessing (paper §6.3), whitening, and descent of the
 * negentropy (eq. 3).
 */
import { type MixtureComponent, mixture, symmetricMixture } from "../density/mixtures/mixture.js";
import type { AnyModel, Model, PatchModel } from "../density/model-files/model.js";
import { expected } from "../errors.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { type PatchLayout, patchDimension } from "../patches/patch-layout.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { type GdnStart, startingGdn } from "../transforms/gdn-start.js";
import { type ModelName, namedModel } from "../transforms/model-names.js";
import {
  type SideBySide,
  componentsOf,
  sideBySide,
  weightsOf,
} from "../transforms/side-by-side.js";
import type { Stage, Transform } from "../transforms/transform.js";
import { fitDefaults, largestPoolRank } from "./fit-defaults.js";
import { type LayerFitOptions, startingLayers } from "./fit-layers.js";
import { type OptionsExceptFor, mostGreedyOfLayers } from "./fit-options.js";
import { fitSettings, fitToImages } from "./fit-to-images.js";
import type { FitCheckpoint } from "./fit-records.js";
import { estimatesPayOff, probeSchedule } from "./gradient-kind.js";
import { ratesOfLargePools } from "./group-rates.js";
import { type MixtureFit, aloneShare, mixtureMeasure, mixtureObjective } from "./mixture-fit.js";
import {
  type CommonFitOptions,
  type FittedModel,
  type Subject,
  surroundingFields,
} from "./image-fit.js";
import { checkOptions, namesExceptFor, withDefaults } from "./settle-options.js";

/** Options of {@link fitModel}; steps, batch and learningRate default by patch size and model. */
export interface ModelFitOptions
  extends
    CommonFitOptions<Transform | SideBySide, PatchModel>,
    Omit<PatchOptions, "seed" | "model"> {
  readonly model: ModelName;
  readonly reading: ImageReading;
}

/** A checkpoint of {@link fitModel}. */
export type ModelCheckpoint = FitCheckpoint<Transform | SideBySide>;

/** A fitted density of patches; a mixture if the fit was symmetric or had several components. */
export type ModelFit<M extends PatchModel = PatchModel> = FittedModel<Transform | SideBySide, M>;

type PatchOptions = OptionsExceptFor<"cascades">;

const patchOptions = namesExceptFor("cascades").filter((name) => name !== "seed");
const optionFields = [...surroundingFields, ...patchOptions, "reading"] as const;
const subjectNames = [
  "layers",
  "couplings",
  "components",
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
  options: ModelFitOptions & {
    readonly symmetric?: false | undefined;
    readonly components?: 1 | undefined;
  },
): Promise<FittedModel<Transform, Model>>;
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

function patchSubject(options: ModelFitOptions): Subject<Transform | SideBySide, PatchModel> {
  const { model, reading, greedy = 0, gradient = "auto", seed = 1 } = options;
  const { layout } = reading;
  const dimension = patchDimension(layout);
  const own = withDefaults(options, subjectNames, options);
  const { layers, couplings, components, symmetric } = own;
  checkCombination(options, own);
  const start = startOf(model, dimension, own);
  const { probes, groupRates } = scheduleOf(options, own);
  const layersFrom = (H: FloatArray) =>
    startingLayers(startingGdn({ ...start, H }), layers, couplings);
  const sizes = { components, dimension, seed };
  const isMixed = symmetric || components > 1;
  return {
    reading,
    dimension,
    start: ({ kernels }, { whitening }) =>
      components === 1
        ? layersFrom(whitening)
        : startingComponents(kernels, whitening, sizes, layersFrom),
    layers: () => ({
      greedy,
      certified: own.certified,
      ...(groupRates && { groupRates }),
      ...(isMixed
        ? mixtureLayers({ layout, symmetric, seed, probes: probes ?? undefined }, layers)
        : probes && { probes }),
    }),
    ...(isMixed && { measure: mixtureMeasure(layout, symmetric) }),
    modelOf: (stage, fitted, about) =>
      ({ transform: densityFrom(stage, fitted, layout, symmetric), about }) as PatchModel,
    nameOf: (fitted) => nameOf(model, own, fitted),
    training: {
      ...(layers > 1 && { layers, greedy }),
      ...(couplings > 0 && { couplings }),
      ...(components > 1 && { components }),
      ...(symmetric && { symmetric }),
      ...(probes && { gradient }),
      ...(groupRates && { groupRates: { ...groupRates } }),
    },
    likelihoodFigure: (inNats) => ({ heldOutLogLikelihoodInNats: inNats }),
  };
}

/** Kind of density that a fit gives. */
interface MixtureKind {
  readonly symmetric: boolean;
  readonly components: number;
}

/** Rejects options that do not go together. */
function checkCombination(
  options: ModelFitOptions,
  own: MixtureKind & { readonly layers: number; readonly couplings: number },
): void {
  const { greedy = 0 } = options;
  const { layers, couplings, components, symmetric } = own;
  if (greedy > mostGreedyOfLayers) {
    throw expected("greedy", `be a number from 0 to ${mostGreedyOfLayers}`, greedy);
  }
  if (couplings > 0 && layers === 1) throw expected("couplings", "be 0 for one layer", couplings);
  if (symmetric || components > 1) requireForMixture(options);
  requireFinishedLike(options, own);
}

/** Returns which steps estimate their gradients, and the learning rates of parameter groups. */
function scheduleOf(
  { model, reading, gradient = "auto", seed = 1, optimiser = "adam" }: ModelFitOptions,
  { poolRank }: { readonly poolRank: number },
) {
  const { size: patch, removeMean } = reading.layout;
  const decided = { model, poolRank, patch, removeMean };
  // Found for Adam, whose moves do not depend on the length of a gradient.
  const isTuned = optimiser === "adam" && estimatesPayOff(decided);
  return {
    probes: probeSchedule(gradient, decided, seed),
    groupRates: isTuned ? ratesOfLargePools : undefined,
  };
}

/** Returns the part of the schedule that depends on the mixture: its objectives. */
function mixtureLayers(
  terms: MixtureFit,
  layers: number,
): Pick<LayerFitOptions<Transform | SideBySide>, "alone" | "objectiveFor"> {
  return {
    ...(layers > 1 && { alone: aloneShare }),
    objectiveFor: (phase, guide) =>
      mixtureObjective(terms, { ...phase, guide, isForGuide: phase.isGreedy === true }),
  };
}

/** Returns the density of patches: a mixture over components and poses, or a transform. */
function densityFrom(
  preprocessing: Stage,
  fitted: Transform | SideBySide,
  { size: side, removeMean }: PatchLayout,
  symmetric: boolean,
): PatchModel["transform"] {
  const density = mixtureOf(componentsOf(fitted), weightsOf(fitted), preprocessing);
  return symmetric ? symmetricMixture({ side, removeMean, density }) : density;
}

/** Returns the mixture of preprocessed components; the density of a single one. */
function mixtureOf(
  components: readonly Transform[],
  weights: Float64Array,
  preprocessing: Stage,
): MixtureComponent {
  const all = components.map((component) => cascade([preprocessing, component]));
  return all.length === 1 ? all[0] : mixture({ components: all, weights });
}

/** Rejects options that fits of mixtures do not have. */
function requireForMixture({ greedy = 0, ranks, symmetric = false }: ModelFitOptions): void {
  const fit = symmetric ? "a symmetric fit" : "a fit of several components";
  if (greedy > 0) throw expected("greedy", `be 0 for ${fit}`, greedy);
  if (ranks) throw expected("ranks", `be omitted for ${fit}`, `${ranks.size} ranks`);
}

/** Requires a finished model, if given, to be of the kind that this fit gives. */
function requireFinishedLike({ finished }: ModelFitOptions, own: MixtureKind): void {
  if (!finished) return;
  const found = wordsOf(kindOfModel(finished));
  const wanted = wordsOf(own);
  if (found !== wanted) throw expected("finished", `be ${wanted}`, found);
}

function kindOfModel({ transform }: AnyModel): MixtureKind {
  const symmetric = transform.kind === "symmetric-mixture";
  const density = symmetric ? transform.density : transform;
  return { symmetric, components: density.kind === "mixture" ? density.components.length : 1 };
}

function wordsOf({ symmetric, components }: MixtureKind): string {
  const kind = symmetric ? "a symmetric mixture" : "a mixture";
  if (components > 1) return `${kind} of ${components} components`;
  return symmetric ? `${kind} of 1 component` : "a single density";
}

/** Standard deviation of the change of a component's filters, in whitened coordinates. */
const componentSpread = 0.1;

/**
 * Returns components that differ slightly, because equal ones stay equal: H_k = (I + S/√N) W with
 * random normal S.
 */
function startingComponents(
  kernels: Kernels,
  whitening: FloatArray,
  { components, dimension: n, seed }: { components: number; dimension: number; seed: Seed },
  layersFrom: (H: FloatArray) => Transform,
): SideBySide {
  const random = createRandom(seed, "components");
  const starts = Array.from({ length: components }, () => {
    const K = random.normalFill(kernels.floats(n * n));
    for (let k = 0; k < K.length; k++) {
      K[k] = (componentSpread * K[k]) / Math.sqrt(n) + (k % (n + 1) === 0 ? 1 : 0);
    }
    const H = kernels.floats(n * n);
    kernels.multiply(K, whitening, H, { rows: n, inner: n, columns: n });
    return layersFrom(H);
  });
  return sideBySide(starts, kernels.floats(components));
}

/** Counts the layers of the transform: some fits start with fewer than requested. */
function nameOf(
  model: ModelName,
  { poolRank, symmetric }: { readonly poolRank: number; readonly symmetric: boolean },
  fitted: Transform | SideBySide,
): string {
  const components = componentsOf(fitted);
  const kinds = stagesOf(components[0]).map(({ kind }) => kind);
  const layers = kinds.filter((kind) => kind === "gdn").length;
  return [
    poolRank > 0 ? `GDN, rank ${poolRank}` : namedModel(model).title,
    ...(layers > 1 ? [`${layers} layers`] : []),
    ...(kinds.includes("coupling") ? ["with couplings"] : []),
    ...(components.length > 1 ? [`${components.length} components`] : []),
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
