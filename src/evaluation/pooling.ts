/** Who divides whom in a model, on real patches. */
import { gaussianize } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import type { Gdn } from "../transforms/gdn.js";
import { poolContributions } from "./pool-contributions.js";

/** The first GDN of a model, with its filters: those of layers above it are not on pixels. */
export function layerOf({ transform }: Model): Gdn & { readonly H: FloatArray } {
  const layer = stagesOf(transform).find((stage) => stage.kind === "gdn");
  if (layer?.H) return { ...layer, H: layer.H };
  throw expected("the model", "have a GDN with filters H", transform.kind);
}

/** What each response contributes on average to the divisors of all (pool-contributions.ts), on samples x of the model. */
export async function modelContributions(
  runner: TaskRunner,
  model: Model,
  x: FloatArray,
): Promise<Float64Array> {
  const stages = stagesOf(model.transform);
  const place = stages.findIndex((stage) => stage.kind === "gdn");
  const layer = layerOf(model);
  if (place === 0) return poolContributions(layer, x);
  const { y } = await gaussianize(runner, cascade(stages.slice(0, place)), x);
  return poolContributions(layer, y);
}

/** Rows of an N×N matrix as parts of the largest of each. */
export function partsOfRows(matrix: Float64Array, n: number): Float64Array {
  const parts = matrix.slice();
  for (let i = 0; i < n; i++) {
    const row = parts.subarray(i * n, (i + 1) * n);
    const largest = row.reduce((most, value) => Math.max(most, value), 0);
    row.forEach((value, j) => {
      row[j] = value / (largest || 1);
    });
  }
  return parts;
}
