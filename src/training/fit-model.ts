/** Images in, model out: preprocessing (paper §6.3), whitening start, and the descent of the negentropy (eq. 3). */
import { expected } from "../errors.js";
import type { Model } from "../density/model-files/model.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { patchDimension } from "../patches/patch-layout.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { type GdnStart, startingGdn } from "../transforms/gdn-start.js";
import { largestRank } from "../transforms/gdn-structures.js";
import { type ModelName, namedModel } from "../transforms/model-names.js";
import type { Transform } from "../transforms/transform.js";
import { checkGreedy, checkLayers, startingLayers } from "./fit-layers.js";
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

/** Defaults of steps, batch (patches of a step) and learningRate depend on the size of the patches: {@link fitDefaults}. */
export interface ModelFitOptions extends Omit<CommonFitOptions<Transform>, "onCheckpoint"> {
  readonly model: ModelName;
  /** Layers H–GDN, one on top of the other, from 1 to 12; default 1 (fit-layers.ts). */
  readonly layers?: number;
  /** Part of the steps, from 0 to 0.9, in which the layers are fitted one after the other, before all move together; default 0. */
  readonly greedy?: number;
  readonly reading: ImageReading;
  /** Components of a subspace, of the model "isa"; default 4. */
  readonly subspace?: number;
  /** Of the model "gdn": γ = diag(g) + U Vᵀ with U and V of so many columns, from 1 to 64; default 0: a full γ. */
  readonly poolRank?: number;
  /** `model` makes what would come out if the fit ended there: to look at, or to keep when it is stopped. */
  readonly onCheckpoint?: (checkpoint: FitCheckpoint, model: () => Model) => void | Promise<void>;
}

export interface ModelFit {
  /** With a `problem`: the better one of start and result. */
  readonly model: Model;
  /** Why the model is not usable; null where it is. {@link problemText} makes a sentence of it. */
  readonly problem: FitProblem | null;
  readonly fit: Fit;
  readonly trainingImages: number;
  readonly heldOutImages: number;
}

const optionFields = [
  ...commonFitFields,
  "model",
  "layers",
  "greedy",
  "reading",
  "subspace",
  "poolRank",
];

const largePatch = 100;
/** Here the inverse of H, one a step, would cost more than 512 samples with pools of low rank. */
const hugePatch = 512;

/** What fits well in minutes (docs/results.md); models that pool little or nothing need more steps, but cheap ones. */
export function fitDefaults(model: ModelName, dimension: number, poolRank = 0): FitDefaults {
  const isLarge = dimension > largePatch;
  const batch = isLarge && poolRank === 0 ? 256 : dimension > hugePatch ? 1024 : 512;
  if (namedModel(model).structure === "marginal") {
    return { steps: isLarge ? 8000 : 20_000, batch, learningRate: 0.02 };
  }
  const isCostly = (isLarge && poolRank === 0) || dimension > hugePatch;
  const steps = isCostly ? 2000 : 8000;
  return { steps, batch, learningRate: isLarge ? 0.02 : 0.04 };
}

/** Of pools of patches with so many components: what has more columns than rows is no smaller than a full γ. */
export function largestPoolRank(dimension: number): number {
  return Math.min(largestRank, dimension);
}

function requirePoolRank(model: ModelName, poolRank: number, dimension: number): void {
  if (poolRank === 0) return;
  if (model !== "gdn") throw expected("poolRank", 'be 0, unless the model is "gdn"', poolRank);
  const most = largestPoolRank(dimension);
  if (Number.isInteger(poolRank) && poolRank >= 1 && poolRank <= most) return;
  throw expected("poolRank", `be an integer from 0 to ${most}`, poolRank);
}

/** Fits a model to images; it says of itself how images are to be read (`about.patch`, `about.preprocessing`). */
export async function fitModel(runner: TaskRunner, options: ModelFitOptions): Promise<ModelFit> {
  checkFields("the options", options, optionFields);
  const { model, reading, images, load, signal, window, runs, onPhase } = options;
  const { origin, onCheckpoint, layers = 1, greedy = 0, poolRank = 0 } = options;
  checkLayers(layers);
  checkGreedy(greedy);
  const { layout } = reading;
  const dimension = patchDimension(layout);
  const settings = fitSettings(options, fitDefaults(model, dimension, poolRank), layout.removeMean);
  const start = startOf(options, dimension);
  const prepared = await prepareFit(runner, {
    images,
    load,
    reading,
    preprocessing: settings.preprocessing,
    batch: settings.batch,
    seed: settings.seed,
    heldOut: settings.heldOut,
    ...(signal && { signal }),
    ...(window === undefined ? {} : { window }),
    ...(runs && { runs }),
    ...(onPhase && { onPhase }),
  });
  const first = startingGdn({ ...start, H: prepared.whitening });
  const stack = startingLayers(first, layers);
  const modelOf = (fit: Fit, problem: FitProblem | null = null): Model => {
    const name = nameOf(options, fit.transform);
    return {
      transform: cascade([prepared.preprocessing, fit.transform]),
      about: aboutFit(
        { reading, images, name, origin },
        settings,
        prepared,
        fit,
        {
          training: layers > 1 ? { layers, greedy } : {},
          figures: figuresOf(prepared, fit, dimension),
        },
        problem,
      ),
    };
  };
  const common: CommonFitOptions<Transform> = {
    ...options,
    onCheckpoint: (checkpoint) => onCheckpoint?.(checkpoint, () => modelOf(fitAt(checkpoint))),
  };
  const { fit, problem } = await fitPrepared(runner, stack, dimension, prepared, common, settings, {
    greedy,
  });
  return {
    model: modelOf(fit, problem),
    problem,
    fit,
    trainingImages: prepared.trainingImages,
    heldOutImages: prepared.heldOutImages,
  };
}

/** By the layers that there are: before its end, a greedy fit has fewer than were asked for. */
function nameOf({ model, poolRank = 0 }: ModelFitOptions, transform: Transform): string {
  const title = poolRank > 0 ? `GDN, rank ${poolRank}` : namedModel(model).title;
  const count = stagesOf(transform).filter(({ kind }) => kind === "gdn").length;
  return count === 1 ? title : `${title}, ${count} layers`;
}

function startOf(options: ModelFitOptions, dimension: number): GdnStart {
  const { model, subspace = 4, poolRank = 0 } = options;
  const { structure } = namedModel(model);
  requirePoolRank(model, poolRank, dimension);
  if (poolRank > 0) return { structure: "low-rank", dimension, rank: poolRank };
  if (structure !== "subspace") return { structure, dimension };
  if (!Number.isInteger(subspace) || subspace < 1 || subspace > dimension) {
    throw expected("subspace", `be an integer from 1 to ${dimension}`, subspace);
  }
  return {
    structure,
    dimension,
    partition: Int32Array.from({ length: dimension }, (_, k) => Math.floor(k / subspace)),
  };
}

function figuresOf({ validation }: PreparedFit, { validated }: Fit, dimension: number) {
  if (!validation || !validated) return {};
  const { meanLogProb } = validated;
  return {
    heldOutLogLikelihoodInNats: meanLogProb + validation.logDeterminant,
    negentropyDifferenceInNatsPerPixel: differenceOf(
      meanLogProb,
      dimension,
      validation.energyPerDimension,
    ),
  };
}
