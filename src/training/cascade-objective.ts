/**
 * What a step of the fit of an image cascade looks at (crop-likelihood.ts), and when it is taken
 * back.
 */
import { determinantGradientOn } from "../density/images/convolution-passes.js";
import type { TaskRunner } from "../parallel/job.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import {
  convolutionDeterminant,
  convolutionDeterminantGradient,
} from "../transforms/convolutions/determinant.js";
import { type ImageCascade, isConvolution } from "../transforms/image-cascade.js";
import type { ParameterGroups } from "../transforms/transform.js";
import type { CropShape } from "./crop-fields.js";
import { cropGradient } from "./crop-gradient.js";
import { convolutionPerLocation, frequencyGrid } from "./crop-likelihood.js";
import type { FitObjective } from "./fit-records.js";

export interface CascadeObjectiveOptions {
  readonly shape: CropShape;
  /** Frequencies of a step, for each convolution. */
  readonly frequencies: number;
  /** Of their choice. */
  readonly seed: Seed;
  /** Where the fit begins. */
  readonly start: ImageCascade;
}

/**
 * Smallest singular values must not fall below so much of where they began. −log |det| keeps them
 * from 0, but a step may jump over that barrier; and whoever inverts with Float32 wants a few of
 * its seven digits back. Filters that whiten photographs over several blocks end at a fortieth of
 * the start, and go down to a thousandth on the way there.
 */
const leastSingularValue = 1e-3;

/**
 * The mean of a whole image is next to unknown to crops: filters that take differences of
 * neighbouring blocks are the likeliest for them, and have no mean at all; samples of whole images
 * then wander off from all data. So the frequency 0 of the first convolution counts this much more
 * by location, as if it were seen in images of 6×6 blocks. It costs less than a thousandth of a nat
 * by pixel (docs/decisions.md).
 */
const weightOfMeans = 1 / 32;

/** One objective for each phase: with so many first stages that stay as they are. */
export function cascadeObjective({
  shape,
  frequencies: count,
  seed,
  start,
}: CascadeObjectiveOptions): (fixedStages: number) => FitObjective<ImageCascade> {
  const floors = singularValuesOf(start).map((value) => leastSingularValue * value);
  return (fixedStages) => {
    let ofFixed: Promise<number> | undefined;
    return async (runner, cascade, crops, step) => {
      ofFixed ??= fixedConvolutions(runner, cascade, fixedStages);
      const fixed = cascade.stages.slice(0, fixedStages).filter(isConvolution).length;
      const {
        meanLogProb: value,
        smallestSingularValues,
        ...found
      } = await cropGradient(runner, cascade, crops, {
        shape,
        fixedStages,
        fixedConvolutions: await ofFixed,
        frequencies: {
          count,
          lowest: Math.floor(count / 2),
          random: createRandom(seed, "frequencies", step),
        },
      });
      if (fixed === 0) addMeans(runner, cascade, found.gradient);
      return {
        ...found,
        value,
        smallestSingularValue: Math.min(...smallestSingularValues),
        isNearlySingular: smallestSingularValues.some((least, k) => !(least >= floors[fixed + k])),
      };
    };
  };
}

/** Adds weightOfMeans ∂/∂F (−log |det F̂(0)|) of the first convolution to its gradient. */
function addMeans(
  { kernels }: TaskRunner,
  { stages }: ImageCascade,
  gradient: readonly ParameterGroups[],
): void {
  const first = stages.findIndex(isConvolution);
  const stage = stages[first];
  if (!isConvolution(stage)) return;
  const grid = { width: 1, height: 1 };
  const { gradient: ofMeans } = convolutionDeterminantGradient(stage, grid, { kernels });
  const { weights } = gradient[first];
  for (let k = 0; k < weights.length; k++) weights[k] += weightOfMeans * ofMeans[k];
}

/** Of each convolution. A start has one tap, so that all frequencies are alike. */
function singularValuesOf({ stages }: ImageCascade): readonly number[] {
  const grid = { width: 1, height: 1 };
  return stages
    .filter(isConvolution)
    .map((stage) => convolutionDeterminant(stage, grid).smallestSingularValue);
}

async function fixedConvolutions(
  runner: TaskRunner,
  { stages }: ImageCascade,
  count: number,
): Promise<number> {
  let sum = 0;
  for (const stage of stages.slice(0, count).filter(isConvolution)) {
    sum += await convolutionPerLocation(runner, stage);
  }
  return sum;
}

/** Over all convolutions and all frequencies of the grid. */
export async function smallestSingularValueOf(
  runner: TaskRunner,
  { stages }: ImageCascade,
): Promise<number> {
  let smallest = Infinity;
  for (const stage of stages.filter(isConvolution)) {
    const found = await determinantGradientOn(runner, stage, frequencyGrid);
    smallest = Math.min(smallest, found.smallestSingularValue);
  }
  return smallest;
}
