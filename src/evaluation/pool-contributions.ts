import type { FloatArray } from "../kernels/kernels.js";
import { portableExp, portableLog } from "../random/portable-math.js";
import { checkSamples } from "../transforms/checks.js";
import type { Gdn } from "../transforms/gdn.js";
import { pooledWeights, spreadOverEntries } from "../transforms/gdn-structures.js";

/**
 * How much component j has, on average, in the pool that divides component i (paper eq. 5):
 *
 *   w_ij = γ_ij · mean |z_j|^α_ij,   z = H x
 *
 * γ alone says little where exponents and scales of z differ. `x` is what comes into the layer: samples after all stages before it.
 * An N×N matrix, row i for pool i.
 * Cost for each sample: N² products, and N² powers where the exponents are α_ij, N elsewhere.
 */
export function poolContributions(layer: Gdn, x: FloatArray): Float64Array {
  const n = layer.dimension;
  const samples = checkSamples(x, n);
  const { form, alpha } = spreadOverEntries(layer);
  // Those of one j only depend on i where α does.
  const rows = form === "general" ? n : 1;
  const means = new Float64Array(rows * n);
  const z = new Float64Array(n);
  for (let s = 0; s < samples; s++) {
    filterSample(layer.H, x.subarray(s * n, (s + 1) * n), z);
    for (let k = 0; k < means.length; k++)
      means[k] += power(Math.abs(z[k % n]), alpha[k]) / samples;
  }
  return pooledWeights(layer).map((gamma, k) => gamma * means[k % means.length]);
}

/** What portableLog and portableExp know: smaller powers count as 0, larger ones as infinite. */
const smallestBase = 2 ** -1022;
const largestExponent = 700;

/** base^exponent, base ≥ 0, with the same bits on every engine, which `**` has not. */
function power(base: number, exponent: number): number {
  if (base < smallestBase) return 0;
  const logarithm = exponent * portableLog(base);
  if (logarithm < -largestExponent) return 0;
  return logarithm > largestExponent ? Infinity : portableExp(logarithm);
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
