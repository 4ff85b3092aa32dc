/** Worker job for the groups of similar patches of one tile. */
import { inPrecision } from "../../kernels/float-arrays.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { SimilarRegion, SimilarSettings, SimilarSums } from "../../kernels/patch-kernels.js";
import { jobOf } from "../../parallel/job.js";
import { coveringSums } from "../patch-tiles.js";

/** Sums for each pixel over the estimated patches that cover it. */
export interface SimilarTotals {
  readonly values: FloatArray;
  /** Number of the patches. */
  readonly counts: Float32Array;
  /** Sums of ‖y − x̂‖²/N. */
  readonly residuals: Float32Array;
}

export const similarJob = jobOf(
  "similar",
  (kernels, settings: SimilarSettings, region: SimilarRegion) => {
    const { width, height, guide, noisy } = region;
    const sums: SimilarSums = {
      values: kernels.floats(width * height),
      counts: kernels.floats(width * height),
      residuals: kernels.floats(width * height),
    };
    const [own, theirs] = [inPrecision(kernels, guide), inPrecision(kernels, noisy)];
    kernels.estimateSimilar({ ...region, guide: own, noisy: theirs }, settings, sums);
    const [counts, residuals] = [sums.counts, sums.residuals].map((each) =>
      coveringSums(each, region, settings.size),
    );
    const result: SimilarTotals = { values: sums.values, counts, residuals };
    const transfer = Object.values(result).map(({ buffer }: Float32Array) => buffer as ArrayBuffer);
    return { result, transfer };
  },
);
