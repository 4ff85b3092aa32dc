/**
 * The pointwise nonlinearity of paper §6.3, fitted to make intensities marginally Gaussian: the
 * curve under which their mean log-likelihood is largest, which is the one whose output has the
 * least negentropy (eq. 3). It removes the mean, too. Or, in its place, a scale and a shift.
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
import { fitTransform } from "./fit-transform.js";

export interface PointwiseFitOptions {
  readonly steps?: number;
  /** Values of a step. */
  readonly batch?: number;
  readonly seed?: Seed;
  /**
   * What the curve must be defined for beyond the values themselves, such as 0 to 1 for pixels of
   * any picture.
   */
  readonly holds?: readonly [lowest: number, highest: number];
  readonly onStep?: (step: number, meanLogProb: number) => void;
  readonly signal?: AbortSignal;
}

const optionFields = ["steps", "batch", "seed", "holds", "onStep", "signal"] as const;
/**
 * Of the range of the values, at either end of the interval: what lies at its very border has no
 * density.
 */
const margin = 0.01;
/** Five parameters of the size of 1 bear larger steps than a matrix does. */
const learningRate = 0.1;
/** A logit with this rate has the variance of a standard normal near its middle. */
const startingRate = 1.7;

/**
 * A curve of one component, fitted to any values; give it the dimension of patches with `{
 * ...curve, dimension }`.
 */
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
  const batchAt = (step: number): Float32Array => {
    const random = createRandom(seed, "pointwise", step);
    const chosen = new Float32Array(batch);
    for (let k = 0; k < batch; k++) chosen[k] = values[random.integer(values.length)];
    return chosen;
  };
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
 * Fits the stage that comes before the filters to the values of pixels: of one component, until
 * {@link inDimension} makes it one of patches.
 */
export async function fitPreprocessing(
  runner: TaskRunner,
  values: FloatArray,
  { kind, ...options }: PreprocessingFitOptions,
): Promise<Pointwise | Affine> {
  if (kind === "standardize") return standardizing(values, 1);
  // In this thread: a step takes less than a message to a worker.
  const inline = new InlineRunner(runner.kernels);
  return fitPointwise(inline, values, { ...options, holds: pixelRange });
}

/** Any picture has some of these, whatever those had that were fitted to. */
const pixelRange = [0, 1] as const;

/** The same curve for each of N components. */
export function inDimension(stage: Pointwise | Affine, dimension: number): Pointwise | Affine {
  if (stage.kind === "pointwise") return pointwise({ ...stage, dimension });
  const repeated = (value: number): Float32Array => new Float32Array(dimension).fill(value);
  return affine({ dimension, scale: repeated(stage.scale[0]), shift: repeated(stage.shift[0]) });
}
