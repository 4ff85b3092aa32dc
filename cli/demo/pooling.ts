/** Who divides whom: what the weights γ of a GDN come to on real patches. */
import {
  type FloatArray,
  type Gdn,
  type Model,
  type TaskRunner,
  cascade,
  gaussianize,
  linear,
  pooledWeights,
  stagesOf,
} from "../../src/index.js";

/** The layer that makes a model of the demo what it is; every one of them has it. */
export function layerOf({ transform }: Model): Gdn & { readonly H: FloatArray } {
  return stagesOf(transform).find((stage) => stage.kind === "gdn") as Gdn & { H: FloatArray };
}

/**
 * γ_ij E|z_j|^α_j of a GDN whose exponents are those of columns, as parts of the largest of row i. γ itself says little: a filter
 * with small responses needs large weights.
 */
export async function averagePools(
  runner: TaskRunner,
  model: Model,
  patches: Float32Array,
): Promise<Float64Array> {
  const layer = layerOf(model);
  const { dimension: n, H, alpha } = layer;
  const before = stagesOf(model.transform).slice(0, -1);
  const { y: z } = await gaussianize(
    runner,
    cascade([...before, linear({ dimension: n, H })]),
    patches,
  );
  const powers = new Float64Array(n);
  for (let k = 0; k < z.length; k++) powers[k % n] += Math.abs(z[k]) ** alpha[k % n];
  const pools = pooledWeights(layer).map((weight, k) => weight * powers[k % n]);
  for (let i = 0; i < n; i++) {
    const row = pools.subarray(i * n, (i + 1) * n);
    const largest = row.reduce((most, value) => Math.max(most, value), 0);
    row.forEach((value, j) => {
      row[j] = value / (largest || 1);
    });
  }
  return pools;
}
