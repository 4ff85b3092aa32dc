/**
 * What each stage of an image cascade makes of an image: for those who look at more than the last
 * one.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { type Field, batchOf, fieldsOf, imageToField } from "../../transforms/field.js";
import { type ImageCascade, requireImageCascade } from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { cascadeInputs } from "./cascade-inputs.js";
import type { ImageOptions } from "./image-density.js";

/**
 * The field after each stage, in their order. Without log-determinants, which take the longest:
 * nothing is said about whether convolutions can be inverted and locations have a density.
 */
export async function imageResponses(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels,
  options: ImageOptions = {},
): Promise<readonly Field[]> {
  checkCall(runner, options);
  const { stride, stages } = requireImageCascade(given);
  const x = batchOf([imageToField(image, stride)]);
  const inputs = await cascadeInputs(runner, stages, x, "joined", options);
  return inputs.slice(1).flatMap(fieldsOf);
}
