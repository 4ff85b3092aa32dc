/** Worker job for the groups of similar patches of one tile. */
import { inPrecision } from "../../kernels/float-arrays.js";
import type { SimilarRegion, SimilarSettings, SimilarSums } from "../../kernels/kernels.js";
import { jobOf } from "../../parallel/job.js";

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
    const transfer = Object.values(sums).map(({ buffer }: Float32Array) => buffer as ArrayBuffer);
    return { result: sums, transfer };
  },
);
