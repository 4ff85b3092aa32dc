/** Fields before and after each stage of an image cascade, without the slow log-determinants. */
import type { GreyPixels } from "../../images/grey-image.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import { stagesOf } from "../../transforms/cascade.js";
import { checkSamples } from "../../transforms/checks.js";
import type { Convolution } from "../../transforms/convolution.js";
import type { Edges } from "../../transforms/convolutions/products.js";
import {
  type Field,
  type FieldBatch,
  batchOf,
  fieldsOf,
  imageToField,
} from "../../transforms/field.js";
import {
  type ImageCascade,
  isConvolution,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import type { Transform } from "../../transforms/transform.js";
import { checkCall } from "../batch-passes.js";
import { applyTransform, gaussianize } from "../induced-density.js";
import { convolved } from "./convolution-products.js";
import type { ImageOptions } from "./image-density.js";

/**
 * Returns the field after each stage, in order. It does not check that convolutions are invertible
 * or that locations have a density.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, imageCascade, loadKernels } from "gaussianize";
 * import { imageResponses } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const model = imageCascade({ stride: 1, stages: [affine({ dimension: 1, scale: [2] })] });
 * const image = { width: 2, height: 1, pixels: Float32Array.of(3, 4) };
 * const [field] = await imageResponses(runner, model, image);
 * console.log(field.values.join(" ")); // 6 8
 * ```
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

/**
 * Returns the input of each of the transforms, which must be checked, and the last output. With
 * joined edges, all values must be finite.
 */
export async function cascadeInputs(
  runner: TaskRunner,
  transforms: readonly (Transform | Convolution)[],
  x: FieldBatch,
  edges: Edges,
  { signal }: ImageOptions = {},
): Promise<readonly FieldBatch[]> {
  const inputs = [x];
  for (const [k, transform] of transforms.entries()) {
    signal?.throwIfAborted();
    const output = isConvolution(transform)
      ? await convolved(runner, transform, inputs[k], edges, { signal })
      : { ...inputs[k], values: await outputs(runner, transform, inputs[k], edges, signal) };
    if (edges === "joined") checkSamples(output.values, output.maps, "y");
    inputs.push(output);
  }
  return inputs;
}

async function outputs(
  runner: TaskRunner,
  transform: Transform,
  { values }: FieldBatch,
  edges: Edges,
  signal: AbortSignal | undefined,
): Promise<FloatArray> {
  const hasRange = stagesOf(transform).some(({ kind }) => kind === "pointwise");
  if (edges === "within" || !hasRange) return applyTransform(runner, transform, values, { signal });
  // Only this pass reports values outside the range of a curve.
  return (await gaussianize(runner, transform, values, { signal })).y;
}
