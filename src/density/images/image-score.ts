/**
 * The score of whole images, ∇ log p(x), which denoising needs (paper eq. 7).
 *
 *   ∇ log p(x) = −∂/∂x (½‖y‖² − log |det ∂y/∂x|)
 *
 * The log-determinant of a convolution is the same for all images, so it is not computed here.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import {
  type Field,
  batchOf,
  fieldToImage,
  fieldsOf,
  imageToField,
} from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { inputGradient, requireCommonParts } from "../induced-density.js";
import { convolvedField, transposedConvolution } from "./convolution-products.js";
import type { ImageOptions } from "./image-density.js";
import { cascadeInputs } from "./image-responses.js";

/** Returns ∇ log p of an image with sides that are multiples of the stride. */
export async function imageScore(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels,
  options: ImageOptions = {},
): Promise<GreyPixels> {
  checkCall(runner, options);
  const cascade = requireImageCascade(given);
  const parts = partsOf(cascade);
  const before = parts.slice(0, -1).map(({ transform }) => transform);
  const x = batchOf([imageToField(image, cascade.stride)]);
  const inputs = (await cascadeInputs(runner, before, x, "joined", options)).flatMap(fieldsOf);
  // The last part computes ∂(½‖y‖²)/∂y = y by itself.
  let upstream: Field | null = null;
  for (const [k, part] of [...parts.entries()].reverse()) {
    options.signal?.throwIfAborted();
    upstream = await gradientOfPart(runner, part, inputs[k], upstream, options);
  }
  const { width, height, pixels } = fieldToImage(upstream as Field);
  return { width, height, pixels: pixels.map((value) => -value) };
}

/** Returns ∂L by the input of a part. */
async function gradientOfPart(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: Field,
  upstream: Field | null,
  options: ImageOptions,
): Promise<Field> {
  if (transform.kind === "convolution") {
    const above = upstream ?? (await convolvedField(runner, transform, x, options));
    return transposedConvolution(runner, transform, above, options);
  }
  requireCommonParts(runner.kernels, transform);
  const above = upstream?.values ?? null;
  const { xGradient } = await inputGradient(runner, transform, x.values, above, options);
  return { ...x, values: xGradient };
}
