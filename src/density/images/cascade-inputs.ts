/**
 * What each part of an image cascade makes of fields, without log-determinants, which take the
 * longest.
 */
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import { stagesOf } from "../../transforms/cascade.js";
import { checkSamples } from "../../transforms/checks.js";
import type { Convolution } from "../../transforms/convolution.js";
import { applyConvolution, applyWithin } from "../../transforms/convolutions/products.js";
import { type FieldBatch, batchOf, fieldsOf } from "../../transforms/field.js";
import { isConvolution } from "../../transforms/image-cascade.js";
import type { Transform } from "../../transforms/transform.js";
import { applyTransform, gaussianize } from "../induced-density.js";
import type { ImageOptions } from "./image-density.js";

/**
 * Of whole fields the edges are joined, and all values must be finite. Of crops, convolutions give
 * the locations within, and nothing is checked: a fit finds out by itself.
 */
export type Edges = "joined" | "within";

/**
 * What each of the transforms, which are checked, gets to see, and what comes out of the last one.
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
      ? convolved(runner, transform, inputs[k], edges)
      : { ...inputs[k], values: await outputs(runner, transform, inputs[k], edges, signal) };
    if (edges === "joined") checkSamples(output.values, output.maps, "y");
    inputs.push(output);
  }
  return inputs;
}

function convolved(
  { kernels }: TaskRunner,
  convolution: Convolution,
  x: FieldBatch,
  edges: Edges,
): FieldBatch {
  if (edges === "within") return applyWithin(kernels, convolution, x);
  return batchOf(fieldsOf(x).map((field) => applyConvolution(kernels, convolution, field)));
}

async function outputs(
  runner: TaskRunner,
  transform: Transform,
  { values }: FieldBatch,
  edges: Edges,
  signal: AbortSignal | undefined,
): Promise<FloatArray> {
  const options = signal && { signal };
  const hasRange = stagesOf(transform).some(({ kind }) => kind === "pointwise");
  if (edges === "within" || !hasRange) return applyTransform(runner, transform, values, options);
  // Values beyond the range of a curve have no y, which only this pass reports.
  return (await gaussianize(runner, transform, values, options)).y;
}
