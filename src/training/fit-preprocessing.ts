/** The stage that comes before the filters, paper §6.3: one curve for all pixels, after which they have mean 0 and variance 1. */
import type { FloatArray } from "../kernels/kernels.js";
import { InlineRunner } from "../parallel/inline-runner.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Seed } from "../random/random-stream.js";
import { type Affine, affine } from "../transforms/affine.js";
import type { Pointwise } from "../transforms/pointwise.js";
import { standardizing } from "../transforms/standardizing.js";
import { fitPointwise } from "./fit-pointwise.js";

/**
 *   logistic     the inverse generalized logistic function that makes intensities marginally Gaussian
 *   standardize  a scale and a shift
 */
export type PreprocessingKind = "logistic" | "standardize";

export const preprocessingKinds: readonly PreprocessingKind[] = ["logistic", "standardize"];

export interface PreprocessingFitOptions {
  readonly kind: PreprocessingKind;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** A stage of one component, fitted to the values of pixels; {@link inDimension} makes it one of patches. */
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
  if (stage.kind === "pointwise") return { ...stage, dimension };
  const repeated = (value: number): Float32Array => new Float32Array(dimension).fill(value);
  return affine({ dimension, scale: repeated(stage.scale[0]), shift: repeated(stage.shift[0]) });
}
