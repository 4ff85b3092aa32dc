/**
 * Gradients of the negative log-probability of a whole image by all parameters of a cascade, up to constants:
 *
 *   L = ½‖y‖² − log |det ∂y/∂x|
 *
 * From the last stage to the first, as docs/mathematics.md says of cascades. Log-determinants of convolutions are taken over
 * all frequencies, or over some.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { convolutionDeterminantGradient } from "../../transforms/convolutions/determinant.js";
import type { FrequencySample } from "../../transforms/convolutions/frequencies.js";
import { applyConvolution, convolutionGradients } from "../../transforms/convolutions/products.js";
import { type Convolution } from "../../transforms/convolution.js";
import { type Field, fieldToImage, imageToField } from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import type { ParameterGroups } from "../../transforms/transform.js";
import { checkCall } from "../batch-passes.js";
import { backpropagate, gaussianize, logProbOf } from "../induced-density.js";
import { type ImageOptions, energyOf } from "./image-density.js";

export interface ImageGradientOptions extends ImageOptions {
  /** Left out: all. With some, log p and gradients by the weights of convolutions are right on average only. */
  readonly frequencies?: FrequencySample;
}

export interface ImageGradients {
  /** log p of the image, in nats and in the precision of the kernels. */
  readonly logProb: number;
  /** ∂L/∂θ, one record for each stage; that of a convolution has the group `weights`. */
  readonly gradient: readonly ParameterGroups[];
  /** ∂L/∂x: minus the score. */
  readonly imageGradient: GreyPixels;
  /** Of all convolutions and the frequencies looked at; ∞ where there are none. */
  readonly smallestSingularValue: number;
}

/** Gradients of L = −log p(image) by the parameters of every stage and by the pixels. */
export async function imageGradients(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels,
  options: ImageGradientOptions = {},
): Promise<ImageGradients> {
  checkCall(runner, options, "frequencies");
  const cascade = requireImageCascade(given);
  const parts = partsOf(cascade);
  const fields = await fieldsOf(runner, parts, imageToField(image, cascade.stride), options);
  const y = fields[parts.length];
  const gradient: ParameterGroups[] = [];
  let [upstream, logDeterminant, smallestSingularValue] = [y, 0, Infinity];
  for (let k = parts.length - 1; k >= 0; k--) {
    options.signal?.throwIfAborted();
    const ofPart = await partGradients(runner, parts[k], fields[k], upstream, options);
    gradient.unshift(...ofPart.gradient);
    upstream = ofPart.upstream;
    logDeterminant += ofPart.logDeterminant;
    smallestSingularValue = Math.min(smallestSingularValue, ofPart.smallestSingularValue);
  }
  return {
    logProb: logProbOf(energyOf(y), logDeterminant, y.values.length),
    gradient,
    imageGradient: fieldToImage(upstream),
    smallestSingularValue,
  };
}

/** What each part gets to see, and what comes out in the end. */
async function fieldsOf(
  runner: TaskRunner,
  parts: readonly CascadePart[],
  x: Field,
  { signal }: ImageOptions,
): Promise<readonly Field[]> {
  const fields = [x];
  for (const { transform } of parts) {
    const last = fields[fields.length - 1];
    if (transform.kind === "convolution") {
      fields.push(applyConvolution(runner.kernels, transform, last));
      continue;
    }
    const { y } = await gaussianize(runner, transform, last.values, signal && { signal });
    fields.push({ ...last, values: y });
  }
  return fields;
}

interface PartGradients {
  readonly gradient: readonly ParameterGroups[];
  /** ∂L by what went into the part. */
  readonly upstream: Field;
  readonly logDeterminant: number;
  readonly smallestSingularValue: number;
}

async function partGradients(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: Field,
  upstream: Field,
  options: ImageGradientOptions,
): Promise<PartGradients> {
  if (transform.kind === "convolution") {
    return convolutionPart(runner, transform, x, upstream, options);
  }
  const { signal } = options;
  const found = await backpropagate(
    runner,
    transform,
    x.values,
    upstream.values,
    signal && { signal },
  );
  return {
    gradient: found.gradient,
    upstream: { ...x, values: found.xGradient },
    logDeterminant: found.logDeterminant.reduce((a, b) => a + b, 0),
    smallestSingularValue: Infinity,
  };
}

function convolutionPart(
  { kernels }: TaskRunner,
  convolution: Convolution,
  x: Field,
  upstream: Field,
  { frequencies }: ImageGradientOptions,
): PartGradients {
  const { weights, x: xGradient } = convolutionGradients(kernels, convolution, x, upstream);
  const { width, height } = x;
  const ofDeterminant = convolutionDeterminantGradient(
    convolution,
    { width, height },
    { kernels, ...(frequencies && { frequencies }) },
  );
  const { gradient, logDeterminant, smallestSingularValue } = ofDeterminant;
  for (let k = 0; k < gradient.length; k++) gradient[k] += weights[k];
  return {
    gradient: [{ weights: gradient }],
    upstream: xGradient,
    logDeterminant,
    smallestSingularValue,
  };
}
