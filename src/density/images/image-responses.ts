/** What each stage of an image cascade makes of an image: for those who look at more than the last one. */
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { applyConvolution } from "../../transforms/convolutions/products.js";
import { type Field, imageToField } from "../../transforms/field.js";
import {
  type ImageCascade,
  isConvolution,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { gaussianize } from "../induced-density.js";
import type { ImageOptions } from "./image-density.js";

/**
 * The field after each stage, in their order. Without log-determinants, which take the longest: nothing is said about whether the
 * convolutions can be inverted.
 */
export async function imageResponses(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels,
  options: ImageOptions = {},
): Promise<readonly Field[]> {
  checkCall(runner, options);
  const { stride, stages } = requireImageCascade(given);
  const responses: Field[] = [];
  let field = imageToField(image, stride);
  for (const stage of stages) {
    options.signal?.throwIfAborted();
    if (isConvolution(stage)) field = applyConvolution(runner.kernels, stage, field);
    else {
      const { y } = await gaussianize(runner, stage, field.values, options);
      field = { ...field, values: y };
    }
    responses.push(field);
  }
  return responses;
}
