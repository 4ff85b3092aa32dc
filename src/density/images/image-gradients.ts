/**
 * Gradients of the negative log-probability of whole images by all parameters of a cascade, up to constants:
 *
 *   L = Σ over images of (½‖y‖² − log |det ∂y/∂x|)
 *
 * From the last stage to the first, as docs/mathematics.md says of cascades. The log-determinant of a convolution is the same for
 * all images, so that its gradient is computed once; over all frequencies, or over some.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { Convolution } from "../../transforms/convolution.js";
import { convolutionDeterminantGradient } from "../../transforms/convolutions/determinant.js";
import type { FrequencySample } from "../../transforms/convolutions/frequencies.js";
import { applyConvolution, convolutionGradients } from "../../transforms/convolutions/products.js";
import { type Field, fieldToImage } from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import type { ParameterGroups } from "../../transforms/transform.js";
import { checkCall } from "../batch-passes.js";
import { backpropagate, gaussianize, logProbOf } from "../induced-density.js";
import { type FieldStack, samplesOf, stackOf, sumsOf, withSamples } from "./field-stack.js";
import { type ImageOptions, energyOf } from "./image-density.js";

export interface ImageGradientOptions extends ImageOptions {
  /** Left out: all. With some, log p and gradients by the weights of convolutions are right on average only. */
  readonly frequencies?: FrequencySample;
}

export interface ImageGradients {
  /** log p of each image, in nats and in the precision of the kernels; −∞ where a convolution is singular. */
  readonly logProb: Float64Array;
  /**
   * ∂L/∂θ, one record for each stage, summed over the images. That of a convolution has the group `weights`, NaN where it is
   * singular.
   */
  readonly gradient: readonly ParameterGroups[];
  /** ∂L/∂x of each image: minus the score. */
  readonly imageGradients: readonly GreyPixels[];
  /** Of all convolutions and the frequencies looked at; ∞ where there are no convolutions. */
  readonly smallestSingularValue: number;
}

/** Gradients of L = −Σ log p(image) by the parameters of every stage and by the pixels, for images of one size. */
export async function imageGradients(
  runner: TaskRunner,
  given: ImageCascade,
  images: readonly GreyPixels[],
  options: ImageGradientOptions = {},
): Promise<ImageGradients> {
  checkCall(runner, options, "frequencies");
  const cascade = requireImageCascade(given);
  const parts = partsOf(cascade);
  const stacks = await stacksOf(runner, parts, stackOf(images, cascade.stride), options);
  const y = stacks[parts.length];
  const gradient: ParameterGroups[] = [];
  const logDeterminant = new Float64Array(images.length);
  let [upstream, smallestSingularValue] = [y, Infinity];
  for (let k = parts.length - 1; k >= 0; k--) {
    options.signal?.throwIfAborted();
    const ofPart = await partGradients(runner, parts[k], stacks[k], upstream, options);
    gradient.unshift(...ofPart.gradient);
    upstream = ofPart.upstream;
    ofPart.logDeterminant.forEach((value, image) => (logDeterminant[image] += value));
    smallestSingularValue = Math.min(smallestSingularValue, ofPart.smallestSingularValue);
  }
  return {
    logProb: logDeterminant.map((value, image) => logProbOfField(y[image], value)),
    gradient,
    imageGradients: upstream.map(fieldToImage),
    smallestSingularValue,
  };
}

function logProbOfField(y: Field, logDeterminant: number): number {
  return logProbOf(energyOf(y), logDeterminant, y.values.length);
}

/** What each part gets to see, and what comes out in the end. */
async function stacksOf(
  runner: TaskRunner,
  parts: readonly CascadePart[],
  x: FieldStack,
  { signal }: ImageOptions,
): Promise<readonly FieldStack[]> {
  const stacks = [x];
  for (const { transform } of parts) {
    const last = stacks[stacks.length - 1];
    if (transform.kind === "convolution") {
      stacks.push(last.map((field) => applyConvolution(runner.kernels, transform, field)));
      continue;
    }
    const { y } = await gaussianize(runner, transform, samplesOf(last), signal && { signal });
    stacks.push(withSamples(last, y));
  }
  return stacks;
}

interface PartGradients {
  readonly gradient: readonly ParameterGroups[];
  /** ∂L by what went into the part. */
  readonly upstream: FieldStack;
  /** Of each image. */
  readonly logDeterminant: Float64Array;
  readonly smallestSingularValue: number;
}

async function partGradients(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: FieldStack,
  upstream: FieldStack,
  options: ImageGradientOptions,
): Promise<PartGradients> {
  if (transform.kind === "convolution") {
    return convolutionPart(runner, transform, x, upstream, options);
  }
  const passOptions = options.signal && { signal: options.signal };
  const [samples, above] = [samplesOf(x), samplesOf(upstream)];
  const found = await backpropagate(runner, transform, samples, above, passOptions);
  return {
    gradient: found.gradient,
    upstream: withSamples(x, found.xGradient),
    logDeterminant: sumsOf(x, found.logDeterminant),
    smallestSingularValue: Infinity,
  };
}

function convolutionPart(
  { kernels }: TaskRunner,
  convolution: Convolution,
  x: FieldStack,
  upstream: FieldStack,
  { frequencies }: ImageGradientOptions,
): PartGradients {
  const { width, height } = x[0];
  const options = { kernels, ...(frequencies && { frequencies }) };
  const common = convolutionDeterminantGradient(convolution, { width, height }, options);
  const weights = common.gradient.map((value) => x.length * value);
  const below = x.map((field, image) => {
    const found = convolutionGradients(kernels, convolution, field, upstream[image]);
    for (let k = 0; k < weights.length; k++) weights[k] += found.weights[k];
    return found.x;
  });
  return {
    gradient: [{ weights }],
    upstream: below,
    logDeterminant: new Float64Array(x.length).fill(common.logDeterminant),
    smallestSingularValue: common.smallestSingularValue,
  };
}
