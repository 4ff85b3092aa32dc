/** Default steps, batch and learning rate of a fit, which depend on the model. */
import { patchDimension } from "../patches/patch-layout.js";
import { largestRank } from "../transforms/gdn-structures.js";
import { type ModelName, namedModel } from "../transforms/model-names.js";
import {
  type CascadeGeometry,
  cascadeGeometry,
  cropShapeOf,
  cropsFor,
} from "./cascade-geometry.js";
import type { Decided } from "./fit-option.js";

export interface FitDefaults {
  readonly steps: number;
  /** Patches per step, or locations of a cascade. */
  readonly batch: number;
  readonly learningRate: number;
}

const largePatch = 100;
/** From here, inverting H once per step costs more than 512 samples with low-rank pools. */
const hugePatch = 512;

/**
 * Returns sizes that fit a density of patches well in minutes (docs/results.md). Marginal models
 * need more steps, but cheap ones.
 */
export function fitDefaults(
  model: ModelName,
  dimension: number,
  poolRank = 0,
  layers = 1,
): FitDefaults {
  const isLarge = dimension > largePatch;
  const batch = isLarge && poolRank === 0 ? 256 : dimension > hugePatch ? 1024 : 512;
  if (namedModel(model).structure === "marginal") {
    return { steps: isLarge ? 8000 : 20_000, batch, learningRate: 0.02 };
  }
  const isCostly = (isLarge && poolRank === 0) || dimension > hugePatch;
  const isEstimated = isCostly && namedModel(model).structure === "column" && poolRank === 0;
  const steps = isEstimated ? 2500 : isCostly ? 2000 : 8000;
  const largeRate = isEstimated && layers === 1 ? 0.03 : 0.02;
  return { steps, batch, learningRate: isLarge ? largeRate : 0.04 };
}

/**
 * Returns sizes that fit small cascades in minutes and the paper's in less than two hours on two
 * cores. The rate is that of the middle taps (fit-state.ts).
 */
export function imageFitDefaults({ stride }: Pick<CascadeGeometry, "stride">): FitDefaults {
  if (stride <= 4) return { steps: 8000, batch: 512, learningRate: 0.06 };
  if (stride <= 8) return { steps: 4000, batch: 256, learningRate: 0.02 };
  return { steps: 2000, batch: 512, learningRate: 0.01 };
}

/** Returns the sizes of a fit with these options. */
export function sizesFor(decided: Decided): FitDefaults {
  const { cascade, model = "gdn", patch: size = 8, removeMean = false } = decided;
  if (cascade !== undefined) return imageFitDefaults(cascadeGeometry(cascade));
  const dimension = patchDimension({ size, removeMean });
  return fitDefaults(model, dimension, decided.poolRank, decided.layers);
}

/** Fraction of the steps that train the stages of a cascade one by one (docs/decisions.md). */
export const defaultGreedy = 0.4;

/** Returns the default `greedy`; undefined for a single layer or stage. */
export function greedyFor({ cascade, stages = 2, layers = 1 }: Decided): number | undefined {
  if (cascade !== undefined) return stages > 1 ? defaultGreedy : undefined;
  return layers > 1 ? 0 : undefined;
}

/** Returns the largest useful rank of pools: beyond the dimension, a full γ is no larger. */
export function largestPoolRank(dimension: number): number {
  return Math.min(largestRank, dimension);
}

/** Rounds the locations of a step to whole crops, at least one. */
export function locationsOfStep(geometry: CascadeGeometry, batch: number): number {
  const shape = cropShapeOf(geometry);
  return cropsFor(batch, shape) * (shape.counted * shape.counted);
}
