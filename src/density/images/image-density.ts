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

/** Options of a slow pass over an image. */
export interface ImagePassOptions extends ImageOptions {
  /** Receives the fraction done, from 0 to 1. */
  readonly onPart?: ((part: number) => void) | undefined;
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
  for await (const pass of passesOf(runner, cascade, y, options)) {
    y = pass.y;
    logDeterminant += pass.atLocations?.reduce((a, b) => a + b, 0) ?? pass.ofConvolution;
  }
  return { y, logDeterminant };
}

/** The field after a part of a cascade, and log |det| of that part. */
interface FieldPass {
  readonly y: Field;
  /** log |det| at each location; null for a convolution, which mixes locations. */
  readonly atLocations: Float64Array | null;
  /** log |det| of a convolution; otherwise 0. */
  readonly ofConvolution: number;
}

async function* passesOf(
  runner: TaskRunner,
  cascade: ImageCascade,
  x: Field,
  { signal, onPart }: ImagePassOptions,
): AsyncGenerator<FieldPass> {
  const parts = partsOf(cascade);
  const report = partsInTurn(parts, onPart);
  let field = x;
  for (const { transform } of parts) {
    signal?.throwIfAborted();
    if (transform.kind === "convolution") {
      const y = await convolvedField(runner, transform, field, { signal });
      const terms = { signal, onPart: report() };
      const ofConvolution = await logDeterminantOn(runner, transform, field, terms);
      yield { y, atLocations: null, ofConvolution };
      field = y;
      continue;
    }
    const { y, logDeterminant } = await gaussianize(runner, transform, field.values, { signal });
    field = { ...field, values: y };
    yield { y: field, atLocations: logDeterminant, ofConvolution: 0 };
  }
}

/**
 * Returns a function that returns the reporter of the next convolution. Only convolutions count:
 * they take nearly all of the time.
 */
export function partsInTurn(
  parts: readonly CascadePart[],
  onPart: ImagePassOptions["onPart"],
): () => ImagePassOptions["onPart"] {
  const count = parts.filter(({ transform }) => transform.kind === "convolution").length;
  let begun = 0;
  return () => {
    const before = begun++;
    return (
      onPart &&
      ((part) => {
        onPart((before + part) / count);
      })
    );
  };
}

/**
 * Returns the share of each location in log p of an image, in nats, row by row. Their sum is log p:
 *
 *   −½‖y_p‖² − (C/2) log 2π + Σ log |det| of the transforms at p + Σ log |det F| / P
 *
 * with C maps, P locations and convolutions F, whose log-determinants are the same everywhere.
 */
export async function logProbOfLocations(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels,
  options: ImagePassOptions = {},
): Promise<Float64Array> {
  checkCall(runner, options, "onPart");
  const cascade = requireImageCascade(given);
  let y = imageToField(image, cascade.stride);
  const { maps } = y;
  const locations = y.width * y.height;
  const logDeterminants = new Float64Array(locations);
  for await (const pass of passesOf(runner, cascade, y, options)) {
    y = pass.y;
    const { atLocations, ofConvolution } = pass;
    for (let p = 0; p < locations; p++) {
      logDeterminants[p] += atLocations ? atLocations[p] : ofConvolution / locations;
    }
  }
  const energies = energiesOf(y);
  return logDeterminants.map((value, p) => logProbOf(energies[p], value, maps));
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

/** Returns ½‖y_p‖² of each location p. */
function energiesOf({ maps, values }: Field): Float64Array {
  const energies = new Float64Array(values.length / maps);
  for (let k = 0; k < values.length; k++) {
    energies[Math.floor(k / maps)] += (values[k] * values[k]) / 2;
  }
  return energies;
}
