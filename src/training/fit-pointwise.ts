/**
 * Fits the pointwise nonlinearity of paper §6.3, which makes intensities marginally Gaussian: the
 * curve with the largest mean log-likelihood, whose output has the least negentropy (eq. 3). It
 * also removes the mean. A scale and a shift can replace it.
 */
import { GaussianizeError } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { InlineRunner } from "../parallel/inline-runner.js";
import type { TaskRunner } from "../parallel/job.js";
import { rangeOf } from "../numbers/order-statistics.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { type Affine, affine } from "../transforms/affine.js";
import { checkFields, checkSamples } from "../transforms/checks.js";
import { type Pointwise, pointwise } from "../transforms/pointwise.js";
import { standardizing } from "../transforms/standardizing.js";
import type { PreprocessingKind } from "./fit-options.js";
import { drawSamples } from "./fit-samples.js";
import { fitTransform } from "./fit-transform.js";

export interface PointwiseFitOptions {
  readonly steps?: number;
  /** Values per step. */
  readonly batch?: number;
  readonly seed?: Seed;
  /** Range on which the curve must be defined besides the values, such as 0 to 1 for pixels. */
  readonly holds?: readonly [lowest: number, highest: number];
  readonly onStep?: (step: number, meanLogProb: number) => void;
  readonly signal?: AbortSignal;
}

const optionFields = ["steps", "batch", "seed", "holds", "onStep", "signal"] as const;
/** Margin at both ends of the interval, relative to the range: its ends have no density. */
const margin = 0.01;
/** Large, since the five parameters are all of size 1. */
const learningRate = 0.1;
/** With this rate, a logit resembles a standard normal near its middle. */
const startingRate = 1.7;

/** Fits a curve of one component; `{ ...curve, dimension }` applies it to patches. */
export async function fitPointwise(
  runner: TaskRunner,
  values: FloatArray,
  options: PointwiseFitOptions = {},
): Promise<Pointwise> {
  checkFields("the options", options, optionFields);
  const { steps = 1500, batch = 512, seed = 0, holds, ...passedOn } = options;
  checkSamples(values, 1, "values");
  const range = rangeOf(values);
  requireRange(range);
  const lowest = Math.min(range.lowest, holds?.[0] ?? Infinity);
  const highest = Math.max(range.highest, holds?.[1] ?? -Infinity);
  const start = startingCurve(lowest, highest);
  const batchAt = (step: number): Float32Array =>
    drawSamples(values, 1, batch, createRandom(seed, "pointwise", step));
  const { transform } = await fitTransform(runner, start, {
    steps,
    batchAt,
    holds: [lowest, highest],
    learningRate,
    ...passedOn,
  });
  return transform;
}

function requireRange({ lowest, highest }: ReturnType<typeof rangeOf>): void {
  if (highest > lowest) return;
  throw new GaussianizeError(
    "degenerate-data",
    `Expected the values to vary but all of them are ${lowest}.`,
  );
}

function startingCurve(lowest: number, highest: number): Pointwise {
  const range = highest - lowest;
  return pointwise({
    dimension: 1,
    lower: Float32Array.of(lowest - margin * range),
    upper: Float32Array.of(highest + margin * range),
    rate: Float32Array.of(startingRate),
    asymmetry: Float32Array.of(1),
    center: Float32Array.of(0),
  });
}

interface PreprocessingFitOptions {
  readonly kind: PreprocessingKind;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/**
 * Fits the first stage of a model to pixel values, with one component (see {@link inDimension}).
 */
export async function fitPreprocessing(
  runner: TaskRunner,
  values: FloatArray,
  { kind, ...options }: PreprocessingFitOptions,
): Promise<Pointwise | Affine> {
  if (kind === "standardize") return standardizing(values, 1);
  // In this thread: a step takes less time than a message to a worker.
  const inline = new InlineRunner(runner.kernels);
  return fitPointwise(inline, values, { ...options, holds: pixelRange });
}

/** Range of pixels of any image, whatever the training images contain. */
const pixelRange = [0, 1] as const;

/** Returns a stage that applies the same curve to each of N components. */
export function inDimension(stage: Pointwise | Affine, dimension: number): Pointwise | Affine {
  if (stage.kind === "pointwise") return pointwise({ ...stage, dimension });
  const repeated = (value: number): Float32Array => new Float32Array(dimension).fill(value);
  return affine({ dimension, scale: repeated(stage.scale[0]), shift: repeated(stage.shift[0]) });
}
