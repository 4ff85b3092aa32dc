import type { Kernels } from "../kernels.js";
import { referenceGdn } from "./gdn.js";
import { referenceGuidedFit } from "./guided-fit.js";
import { sumGradients } from "./gradients.js";
import { referenceGuided } from "./guided.js";
import { accumulateProduct, eliminate, invert, multiply } from "./matrix.js";
import { referenceNetwork } from "./network.js";
import { referencePatches } from "./patches.js";
import { estimateSimilar } from "./similar.js";

/**
 * Float64 specification. It uses the engine's exp, log and powers, so its last digits differ
 * between engines (docs/engines.md).
 */
export const referenceKernels: Kernels = {
  name: "reference",
  tolerance: 1e-13,
  floats: (length) => new Float64Array(length),
  exp(x, out) {
    for (let k = 0; k < x.length; k++) out[k] = Math.exp(x[k]);
  },
  log(x, out) {
    for (let k = 0; k < x.length; k++) out[k] = Math.log(x[k]);
  },
  pow(base, exponent, out) {
    // Adding 0 turns a base of −0 into 0.
    for (let k = 0; k < base.length; k++) out[k] = (base[k] + 0) ** exponent[k];
  },
  multiply,
  accumulateProduct,
  invertIdentityMinus(m, n, count, inverse, logDeterminant, failedPivot) {
    for (let s = 0; s < count; s++) {
      const matrix = Float64Array.from(m.subarray(s * n * n, (s + 1) * n * n), (value) => -value);
      for (let i = 0; i < n; i++) matrix[i * n + i] += 1;
      const result = eliminate(matrix, n);
      inverse.set(result.inverse, s * n * n);
      logDeterminant[s] = result.logDeterminant;
      failedPivot[s] = result.failedPivot;
    }
  },
  invert,
  estimateSimilar,
  guidedFit: referenceGuidedFit,
  sumGradients,
  guided: referenceGuided,
  patches: referencePatches,
  gdn: referenceGdn,
  network: referenceNetwork,
};
