/**
 * The density that an image cascade induces on whole images, paper eq. (1) with N pixels:
 *
 *   log p(x) = −½‖y‖² − (N/2) log 2π + log |det ∂y/∂x|
 *
 * The log-determinant is the sum over convolutions (transforms/convolutions/determinant.ts) and
 * over all other stages at all locations.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { type Field, imageToField } from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { gaussianize, logProbOf } from "../induced-density.js";
import { logDeterminantOn } from "./convolution-passes.js";
import { convolvedField } from "./convolution-products.js";

/** Options to stop a pass over an image. */
export interface ImageOptions {
  /** Stops the pass between two stages or tasks. */
  readonly signal?: AbortSignal | undefined;
}

export interface GaussianizedImage {
  /** Field with stride² maps and one location per block. */
  readonly y: Field;
  /** log |det ∂y/∂x| of the whole image. */
  readonly logDeterminant: number;
}

/**
 * Returns y = g(x; θ) and log |det ∂y/∂x| of an image with sides that are multiples of the stride.
 */
export async function gaussianizeImage(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels,
  options: ImageOptions = {},
): Promise<GaussianizedImage> {
  checkCall(runner, options);
  const cascade = requireImageCascade(given);
  let y = imageToField(image, cascade.stride);
  let logDeterminant = 0;
  for (const part of partsOf(cascade)) {
    options.signal?.throwIfAborted();
    const next = await gaussianizeField(runner, part, y, options);
    y = next.y;
    logDeterminant += next.logDeterminant;
  }
  return { y, logDeterminant };
}

async function gaussianizeField(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: Field,
  options: ImageOptions,
): Promise<GaussianizedImage> {
  if (transform.kind === "convolution") {
    const y = await convolvedField(runner, transform, x, options);
    return { y, logDeterminant: await logDeterminantOn(runner, transform, x, options.signal) };
  }
  const { y, logDeterminant } = await gaussianize(runner, transform, x.values, options);
  return { y: { ...x, values: y }, logDeterminant: logDeterminant.reduce((a, b) => a + b, 0) };
}

/** Returns log p of a whole image, in nats. */
export async function logProbOfImage(
  runner: TaskRunner,
  cascade: ImageCascade,
  image: GreyPixels,
  options?: ImageOptions,
): Promise<number> {
  const { y, logDeterminant } = await gaussianizeImage(runner, cascade, image, options);
  return logProbOf(energyOf(y), logDeterminant, y.values.length);
}

/** Returns ½‖y‖². */
export function energyOf({ values }: Field): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k] * values[k];
  return sum / 2;
}
