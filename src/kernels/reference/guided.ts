/** Estimates of patches by guided densities in Float64, one patch after the other. */
import type { FloatArray } from "../kernels.js";
import type {
  GuidedKernel,
  GuidedParameters,
  GuidedRegion,
  GuidedShape,
} from "../patch-kernels.js";
import { multiplied } from "./matrix.js";

export function referenceGuided({ size, poses }: GuidedShape): GuidedKernel {
  let parameters: readonly GuidedParameters[] = [];
  return {
    load(classes) {
      parameters = classes.map(({ H, G, gamma, alpha, beta }) => ({
        H: H.slice(),
        G: G.slice(),
        gamma: gamma.slice(),
        alpha: alpha.slice(),
        beta: beta.slice(),
      }));
    },
    estimate(region, sums) {
      const places = poses.map((pose) =>
        Array.from(pose, (place) => Math.floor(place / size) * region.width + (place % size)),
      );
      let patch = 0;
      region.counts.forEach((count, k) => {
        for (const end = patch + count; patch < end; patch++) {
          const at = places[region.poses[patch]].map((place) => region.corners[patch] + place);
          estimateOf(parameters[k], region, at).forEach((value, i) => {
            sums[at[i]] += value;
          });
        }
      });
    },
  };
}

function estimateOf(
  { H, G, gamma, alpha, beta }: GuidedParameters,
  { noisy, guide, variance }: GuidedRegion,
  at: readonly number[],
): Float64Array {
  const x = Float64Array.from(at, (k) => noisy[k]);
  const u = multiplied(H, x);
  const v = multiplied(
    G,
    Float64Array.from(at, (k) => guide[k]),
  );
  const D = multiplied(
    gamma,
    v.map((value, j) => Math.abs(value) ** alpha[j]),
  );
  const ratio = u.map((value, i) => value / (beta[i] + D[i]));
  return x.map((value, k) => value - variance * pulled(H, ratio, k));
}

/** Returns component k of Hᵀ r. */
function pulled(H: FloatArray, ratio: Float64Array, k: number): number {
  return ratio.reduce((sum, value, i) => sum + H[i * ratio.length + k] * value, 0);
}
