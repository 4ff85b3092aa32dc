/**
 * Gradients of the negative log-probability of whole images by all parameters of a cascade, up to
 * constants:
 *
 *   L = Σ over images of (½‖y‖² − log |det ∂y/∂x|)
 *
 * They are computed from the last stage to the first (docs/how-it-works.md). The log-determinant of
 * a convolution is the same for all images, so its gradient is computed once, over all or some
 * frequencies.
 */
import { expected } from "../../errors.js";
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { Convolution } from "../../transforms/convolution.js";
import type { FrequencySample } from "../../transforms/convolutions/frequencies.js";
import {
  type FieldBatch,
  batchOf,
  fieldToImage,
  fieldsOf,
  imageToField,
  locationsOf,
} from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import type { ParameterGroups } from "../../transforms/transform.js";
import { checkCall } from "../batch-passes.js";
import { backpropagate, logProbOf } from "../induced-density.js";
import { determinantGradientOn } from "./convolution-passes.js";
import { convolutionGradients } from "./convolution-products.js";
import { type ImageOptions, energyOf } from "./image-density.js";
import { cascadeInputs } from "./image-responses.js";

export interface ImageGradientOptions extends ImageOptions {
  /** Default all. With some, log p and gradients of convolutions are correct only on average. */
  readonly frequencies?: FrequencySample;
}

export interface ImageGradients {
  /**
   * log p of each image in nats, in the precision of the kernels; −∞ for a singular convolution.
   */
  readonly logProb: Float64Array;
  /**
   * ∂L/∂θ summed over the images, one record per stage. A convolution has the group `weights`, with
   * NaN if it is singular.
   */
  readonly gradient: readonly ParameterGroups[];
  /** ∂L/∂x of each image: minus the score. */
  readonly imageGradients: readonly GreyPixels[];
  /** Smallest singular value of all convolutions at these frequencies; ∞ without convolutions. */
  readonly smallestSingularValue: number;
}

/**
 * Returns the gradients of L = −Σ log p(image) by parameters and pixels, for images of one size.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, imageCascade, loadKernels } from "gaussianize";
 * import { imageGradients } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const model = imageCascade({ stride: 1, stages: [affine({ dimension: 1, scale: [2] })] });
 * const image = { width: 1, height: 1, pixels: Float32Array.of(3) };
 * const { gradient } = await imageGradients(runner, model, [image]);
 * console.log(gradient[0].shift[0]); // 6
 * ```
 */
export async function imageGradients(
  runner: TaskRunner,
  given: ImageCascade,
  images: readonly GreyPixels[],
  options: ImageGradientOptions = {},
): Promise<ImageGradients> {
  checkCall(runner, options, "frequencies");
  const cascade = requireImageCascade(given);
  const parts = partsOf(cascade);
  const transforms = parts.map(({ transform }) => transform);
  const x = batchOfImages(images, cascade.stride);
  const inputs = await cascadeInputs(runner, transforms, x, "joined", options);
  const y = inputs[parts.length];
  const gradient: ParameterGroups[] = [];
  const logDeterminant = new Float64Array(images.length);
  let [upstream, smallestSingularValue] = [y, Infinity];
  for (let k = parts.length - 1; k >= 0; k--) {
    options.signal?.throwIfAborted();
    const ofPart = await partGradients(runner, parts[k], inputs[k], upstream, options);
    gradient.unshift(...ofPart.gradient);
    upstream = ofPart.upstream;
    ofPart.logDeterminant.forEach((value, image) => (logDeterminant[image] += value));
    smallestSingularValue = Math.min(smallestSingularValue, ofPart.smallestSingularValue);
  }
  return {
    logProb: Float64Array.from(fieldsOf(y), (field, image) =>
      logProbOf(energyOf(field), logDeterminant[image], field.values.length),
    ),
    gradient,
    imageGradients: fieldsOf(upstream).map(fieldToImage),
    smallestSingularValue,
  };
}

/** Returns the blocks of at least one image, all of the same size. */
function batchOfImages(given: readonly GreyPixels[], stride: number): FieldBatch {
  if (!Array.isArray(given) || given.length === 0) {
    throw expected("images", "be a list of at least one", given);
  }
  const images = given as readonly GreyPixels[];
  const { width, height } = images[0];
  const other = images.findIndex((image) => image.width !== width || image.height !== height);
  if (other >= 0) {
    const size = `${images[other].width}×${images[other].height}`;
    throw expected(`image ${other}`, `have the ${width}×${height} pixels of image 0`, size);
  }
  return batchOf(images.map((image) => imageToField(image, stride)));
}

interface PartGradients {
  readonly gradient: readonly ParameterGroups[];
  /** ∂L by the input of the part. */
  readonly upstream: FieldBatch;
  /** log |det| of the part for each image. */
  readonly logDeterminant: Float64Array;
  readonly smallestSingularValue: number;
}

async function partGradients(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: FieldBatch,
  upstream: FieldBatch,
  options: ImageGradientOptions,
): Promise<PartGradients> {
  if (transform.kind === "convolution") {
    return convolutionPart(runner, transform, x, upstream, options);
  }
  const { signal } = options;
  const found = await backpropagate(runner, transform, x.values, upstream.values, { signal });
  return {
    gradient: found.gradient,
    upstream: { ...x, values: found.xGradient },
    logDeterminant: sumsOfFields(x, found.logDeterminant),
    smallestSingularValue: Infinity,
  };
}

/** Returns the sum over the locations of each field. */
function sumsOfFields(batch: FieldBatch, ofLocations: Float64Array): Float64Array {
  const locations = locationsOf(batch) / batch.count;
  return Float64Array.from({ length: batch.count }, (_, k) =>
    ofLocations.subarray(k * locations, (k + 1) * locations).reduce((a, b) => a + b, 0),
  );
}

async function convolutionPart(
  runner: TaskRunner,
  convolution: Convolution,
  x: FieldBatch,
  upstream: FieldBatch,
  { frequencies, signal }: ImageGradientOptions,
): Promise<PartGradients> {
  const common = await determinantGradientOn(runner, convolution, x, {
    sample: frequencies,
    signal,
  });
  const weights = common.gradient.map((value) => x.count * value);
  const above = upstream.values;
  const found = await convolutionGradients(runner, convolution, x, above, "joined", { signal });
  for (let k = 0; k < weights.length; k++) weights[k] += found.weights[k];
  if (!found.x) throw new Error("a convolution lost its gradient by the input");
  return {
    gradient: [{ weights }],
    upstream: { ...x, values: found.x },
    logDeterminant: new Float64Array(x.count).fill(common.logDeterminant),
    smallestSingularValue: common.smallestSingularValue,
  };
}
