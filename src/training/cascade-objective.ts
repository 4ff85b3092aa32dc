/** The objective of fits of image cascades (crop-likelihood.ts), and when a step is rejected. */
import { determinantGradientOn } from "../density/images/convolution-passes.js";
import type { TaskRunner } from "../parallel/job.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { withStages } from "../transforms/cascade.js";
import { type Convolution, convolution, middleOf } from "../transforms/convolution.js";
import { convolutionDeterminant } from "../transforms/convolutions/determinant.js";
import { type ImageCascade, isConvolution } from "../transforms/image-cascade.js";
import type { ParameterGroups } from "../transforms/transform.js";
import type { CropShape } from "./crop-likelihood.js";
import { cropGradient } from "./crop-gradient.js";
import { convolutionPerLocation, frequencyGrid } from "./crop-likelihood.js";
import type { ObjectivePhase } from "./fit-layers.js";
import type { FitObjective } from "./fit-records.js";
import { type ProbeSchedule, probesAt } from "./gradient-kind.js";

export interface CascadeObjectiveOptions {
  readonly shape: CropShape;
  /** Seed for the choice of frequencies. */
  readonly seed: Seed;
  /** Start of the fit. */
  readonly start: ImageCascade;
  /** Steps whose gradients of GDNs are estimated; default none. */
  readonly probes?: ProbeSchedule | null;
}

/**
 * Least singular value, relative to the start. −log |det| keeps singular values away from 0, but a
 * step may jump over that barrier, and inversion in Float32 needs a few of its seven digits.
 * Filters that whiten photographs over several blocks end at 1/40 of the start and reach 1/1000
 * on the way.
 */
const leastSingularValue = 1e-3;

/**
 * Additional weight per location of the frequency 0 of the first convolution, as if it were seen in
 * images of 6×6 blocks. Crops hardly see the mean of an image: they favour filters that take
 * differences of neighbouring blocks, and then sampled images drift away from all data. The weight
 * costs less than 0.001 nats per pixel (docs/decisions.md).
 */
const weightOfMeans = 1 / 32;

/** Returns the objective of each phase. */
export function cascadeObjective({
  shape,
  seed,
  start,
  probes,
}: CascadeObjectiveOptions): (phase: ObjectivePhase) => FitObjective<ImageCascade> {
  const floors = singularValuesOf(start).map((value) => leastSingularValue * value);
  return ({ fixedStages, isNarrow = false, ...phase }) => {
    let ofFixed: Promise<number> | undefined;
    return async (runner, whole, crops, step) => {
      const cascade = isNarrow ? narrowed(whole) : whole;
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
        ...(fixed === 0 && { weightOfMeans }),
        probes: probesAt(probes, phase, step),
        frequencies: createRandom(seed, "frequencies", step),
      });
      return {
        ...found,
        ...(isNarrow && { gradient: widened(found.gradient, whole) }),
        value,
        smallestSingularValue: Math.min(...smallestSingularValues),
        isNearlySingular: smallestSingularValues.some((least, k) => !(least >= floors[fixed + k])),
      };
    };
  };
}

/** Returns a cascade whose last convolution has only its middle tap. */
function narrowed(cascade: ImageCascade): ImageCascade {
  const last = cascade.stages.findLastIndex(isConvolution);
  return withStages(
    cascade,
    cascade.stages.map((stage, k) =>
      k === last && isConvolution(stage) ? middleAlone(stage) : stage,
    ),
  );
}

function middleAlone({ maps, taps, weights }: Convolution): Convolution {
  const first = middleOf(taps) * maps * maps;
  return convolution({
    maps,
    taps: { width: 1, height: 1, left: 0, top: 0 },
    weights: weights.subarray(first, first + maps * maps),
  });
}

/** Pads the gradient of a {@link narrowed} cascade with zeros for the other taps. */
function widened(
  gradient: readonly ParameterGroups[],
  { stages }: ImageCascade,
): readonly ParameterGroups[] {
  const last = stages.findLastIndex(isConvolution);
  return gradient.map((groups, k) => {
    const stage = stages[k];
    if (k !== last || !isConvolution(stage)) return groups;
    const weights = new Float32Array(stage.weights.length);
    weights.set(groups.weights, middleOf(stage.taps) * groups.weights.length);
    return { weights };
  });
}

/** Returns the singular value of each convolution of a start: with one tap, any frequency does. */
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

/** Returns the smallest singular value over all convolutions and all frequencies of the grid. */
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
