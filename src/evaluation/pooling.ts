/** The pools that divide each response of a model, on real patches. */
import { gaussianize } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { portablePow } from "../numbers/power.js";
import type { TaskRunner } from "../parallel/job.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkSamples } from "../transforms/checks.js";
import { pooledWeights, spreadOverEntries } from "../transforms/gdn-structures.js";
import type { Gdn } from "../transforms/gdn.js";

/** Returns the first GDN of a model: the filters of later layers do not see pixels. */
export function layerOf({ transform }: Model): Gdn & { readonly H: FloatArray } {
  const layer = stagesOf(transform).find((stage) => stage.kind === "gdn");
  if (layer?.H) return layer as typeof layer & { readonly H: FloatArray };
  throw expected("the model", "have a GDN with filters H", transform.kind);
}

/** Returns `poolContributions` of the first GDN of a model, for samples x of the model. */
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

/** Divides each row of an N×N matrix by its largest value. */
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

/**
 * The mean contribution of component j to the pool that divides component i (paper eq. 5):
 *
 *   w_ij = γ_ij · mean |z_j|^α_ij,   z = H x
 *
 * γ alone says little if exponents and scales of z differ. `x` is the input of the layer: samples
 * after all stages before it. Returns an N×N matrix, row i for pool i. Cost per sample: N²
 * products, and N² powers for exponents α_ij, N otherwise.
 */
export function poolContributions(layer: Gdn, x: FloatArray): Float64Array {
  const n = layer.dimension;
  const samples = checkSamples(x, n);
  const { form, alpha } = spreadOverEntries(layer);
  // The means of |z_j|^α depend on i only if α does.
  const rows = form === "general" ? n : 1;
  const means = new Float64Array(rows * n);
  const z = new Float64Array(n);
  for (let s = 0; s < samples; s++) {
    filterSample(layer.H, x.subarray(s * n, (s + 1) * n), z);
    for (let k = 0; k < means.length; k++)
      means[k] += portablePow(Math.abs(z[k % n]), alpha[k]) / samples;
  }
  return pooledWeights(layer).map((gamma, k) => gamma * means[k % means.length]);
}

/** z = H x; null is the identity. */
function filterSample(H: FloatArray | null, x: FloatArray, z: Float64Array): void {
  const n = z.length;
  for (let i = 0; i < n; i++) {
    if (!H) {
      z[i] = x[i];
      continue;
    }
    let sum = 0;
    for (let j = 0; j < n; j++) sum += H[i * n + j] * x[j];
    z[i] = sum;
  }
}
