/**
 * The score of whole images, ∇ log p(x): what denoising asks of a density (paper eq. 7).
 *
 *   ∇ log p(x) = −∂/∂x (½‖y‖² − log |det ∂y/∂x|)
 *
 * The log-determinant of a convolution is the same for all images, so that nothing has to be known of it here: neither
 * determinants of convolutions nor gradients by parameters are computed.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { applyConvolution, transposedConvolution } from "../../transforms/convolutions/products.js";
import { type Field, fieldToImage, imageToField } from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { gaussianize, inputGradient } from "../induced-density.js";
import type { ImageOptions } from "./image-density.js";

/** ∇ log p of an image whose sides are multiples of the stride, pixel by pixel. */
export async function imageScore(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels,
  options: ImageOptions = {},
): Promise<GreyPixels> {
  checkCall(runner, options);
  const cascade = requireImageCascade(given);
  const parts = partsOf(cascade);
  const inputs = [imageToField(image, cascade.stride)];
  for (const { transform } of parts.slice(0, -1)) {
    options.signal?.throwIfAborted();
    const x = inputs[inputs.length - 1];
    if (transform.kind === "convolution") {
      inputs.push(applyConvolution(runner.kernels, transform, x));
    } else {
      const { y } = await gaussianize(runner, transform, x.values, options);
      inputs.push({ ...x, values: y });
    }
  }
  // The last part makes ∂(½‖y‖²)/∂y = y by itself.
  let upstream: Field | null = null;
  for (const [k, part] of [...parts.entries()].reverse()) {
    options.signal?.throwIfAborted();
    upstream = await gradientOfPart(runner, part, inputs[k], upstream, options);
  }
  const { width, height, pixels } = fieldToImage(upstream as Field);
  return { width, height, pixels: pixels.map((value) => -value) };
}

/** ∂L by what went into a part. */
async function gradientOfPart(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: Field,
  upstream: Field | null,
  options: ImageOptions,
): Promise<Field> {
  if (transform.kind === "convolution") {
    const above = upstream ?? applyConvolution(runner.kernels, transform, x);
    return transposedConvolution(runner.kernels, transform, above);
  }
  const above = upstream?.values ?? null;
  const { xGradient } = await inputGradient(runner, transform, x.values, above, options);
  return { ...x, values: xGradient };
}
