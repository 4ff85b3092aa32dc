/** Worker job for estimates of the patches of a part of an image by guided densities. */
import type { ImageSize } from "../../images/grey-image.js";
import { inPrecision } from "../../kernels/float-arrays.js";
import type { Kernels } from "../../kernels/kernels.js";
import type { GuidedKernel, GuidedRegion } from "../../kernels/patch-kernels.js";
import type { Job } from "../../parallel/job.js";
import { type TileSums, tileSums } from "../tile-average.js";
import type { GuidedExpert } from "./guided-density.js";
import { type ClassBounds, classOfKind, kindsAt, poseMaps, poseOfKind } from "./patch-classes.js";

export interface EstimateShared {
  /** Side of the patches in pixels. */
  readonly size: number;
  readonly experts: readonly GuidedExpert[];
  /** σ², standardised. */
  readonly variance: number;
  /** Borders between classes, for standardised pixels. */
  readonly bounds: ClassBounds;
}

export interface EstimateTask extends ImageSize {
  /** Standardised pixels. */
  readonly noisy: Float32Array;
  readonly guide: Float32Array;
  readonly corners: Int32Array;
  /** Class and pose of each patch; null to find them in the guide. */
  readonly kinds: Uint16Array | null;
}

export const estimateJob: Job<EstimateShared, EstimateTask, TileSums> = {
  name: "guided estimates",
  open(kernels) {
    let known: { readonly shared: EstimateShared; readonly kernel: GuidedKernel } | undefined;
    return {
      share(shared) {
        const { size, experts } = shared;
        const kernel = kernels.guided({ size, poses: poseMaps(size) });
        kernel.load(experts);
        known = { shared, kernel };
      },
      perform(task) {
        if (!known) throw new Error("parameters come before tasks");
        const { width, height } = task;
        const { shared, kernel } = known;
        const region = regionOf(kernels, shared, task);
        const sums = kernels.floats(width * height);
        kernel.estimate(region, sums);
        return tileSums(sums, task, shared.size);
      },
    };
  },
};

/** Orders the patches by class; within a class they keep their order. */
function regionOf(
  kernels: Kernels,
  { size, experts, variance, bounds }: EstimateShared,
  { width, height, noisy, guide, corners, kinds: known }: EstimateTask,
): GuidedRegion {
  const guiding = inPrecision(kernels, guide);
  const image = { width, height, pixels: guiding };
  const kinds = known ?? kindsAt(kernels, image, size, bounds, corners);
  const counts = new Int32Array(experts.length);
  for (const kind of kinds) counts[classOfKind(kind)]++;
  const next = new Int32Array(experts.length);
  for (let k = 1; k < next.length; k++) next[k] = next[k - 1] + counts[k - 1];
  const ordered = new Int32Array(corners.length);
  const poses = new Int32Array(corners.length);
  kinds.forEach((kind, patch) => {
    const place = next[classOfKind(kind)]++;
    ordered[place] = corners[patch];
    poses[place] = poseOfKind(kind);
  });
  const own = { noisy: inPrecision(kernels, noisy), guide: guiding };
  return { width, height, ...own, corners: ordered, poses, counts, variance };
}
