/** Worker job of fits of guided densities: the error of crops, and its gradient. */
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import type { GuidedFitKernel } from "../../kernels/patch-kernels.js";
import type { Job } from "../../parallel/job.js";
import { type CropLayout, CropPlaces } from "../../training/crop-places.js";
import { cellPoses } from "./guide-cells.js";
import { byClass, posed } from "./posed-patches.js";
import { classOfKind, poseMaps, poseOfKind } from "./patch-classes.js";

export interface GuidedFitShared {
  readonly rings: number;
  /** Parameters of each class (guided-parameters.ts). */
  readonly classes: readonly FloatArray[];
  /** σ², standardised. */
  readonly variance: number;
  readonly crops: CropLayout;
  /** Largest number of crops of a task. */
  readonly mostCrops: number;
}

/** Crops, and their patches in the order of the places (crop-places.ts), not in their poses. */
export interface GuidedFitTask {
  readonly clean: Float32Array;
  readonly kinds: Uint16Array;
  readonly noisy: Float32Array;
  readonly guide: Float32Array;
}

export interface GuidedFitResult {
  /** Sum of the squared errors of the pixels that count, and their number. */
  readonly squares: number;
  readonly pixels: number;
  /** Derivatives of half that sum by the parameters; null for a class without patches. */
  readonly gradients: readonly (FloatArray | null)[];
}

export const guidedFitJob: Job<GuidedFitShared, GuidedFitTask, GuidedFitResult> = {
  name: "guided-fit",
  open(kernels) {
    let work: CropFit | undefined;
    return {
      share(shared) {
        if (!work?.take(shared)) work = new CropFit(kernels, shared);
      },
      perform(task) {
        if (!work) throw new Error("parameters come before tasks");
        const result = work.perform(task);
        const transfer = result.gradients.flatMap((sums) => sums?.buffer ?? []) as ArrayBuffer[];
        return { result, transfer };
      },
    };
  },
};

class CropFit {
  private readonly places: CropPlaces;
  private readonly poses: readonly Uint16Array[];
  private readonly cells: readonly Uint16Array[];
  private readonly kernel: GuidedFitKernel;
  private readonly key: string;
  private classes: readonly FloatArray[];

  constructor(
    private readonly kernels: Kernels,
    shared: GuidedFitShared,
  ) {
    const { crops, rings, classes, mostCrops } = shared;
    this.places = new CropPlaces(crops);
    this.poses = poseMaps(crops.patch);
    this.cells = cellPoses(crops.patch, rings);
    this.kernel = kernels.guidedFit({
      pixels: this.poses[0].length,
      cells: this.cells[0].length,
      classes: classes.length,
      patches: mostCrops * this.places.corners.length,
    });
    this.key = keyOf(shared);
    this.classes = classes;
    this.take(shared);
  }

  /** Takes other parameters; returns false if the sizes differ. */
  take(shared: GuidedFitShared): boolean {
    if (keyOf(shared) !== this.key) return false;
    this.classes = shared.classes;
    this.kernel.load(shared.classes, shared.variance);
    return true;
  }

  perform({ clean, kinds, noisy, guide }: GuidedFitTask): GuidedFitResult {
    const { kernels, kernel, classes, places, poses } = this;
    const n = poses[0].length;
    const { order, counts } = byClass(kinds, classes.length);
    const estimates = kernels.floats(noisy.length);
    const cells = posed(kernels, guide, kinds, order, this.cells);
    kernel.estimate(counts, posed(kernels, noisy, kinds, order, poses), cells, estimates);
    const own = {
      estimates: new Float32Array(noisy.length),
      weights: new Float32Array(noisy.length),
    };
    order.forEach((patch, k) => {
      const map = poses[poseOfKind(kinds[patch])];
      const omega = weightsOf(classes[classOfKind(kinds[patch])], n);
      for (let i = 0; i < n; i++) {
        own.estimates[patch * n + map[i]] = estimates[k * n + i];
        own.weights[patch * n + map[i]] = omega[i];
      }
    });
    const { squares, errors, byWeight } = places.weightedErrorOf(own.estimates, own.weights, clean);
    const gradients = classes.map(({ length }, c) =>
      counts[c] > 0 ? kernels.floats(length) : null,
    );
    kernel.gradient(posed(kernels, errors, kinds, order, poses), gradients);
    order.forEach((patch) => {
      const map = poses[poseOfKind(kinds[patch])];
      const sums = weightsOf(gradients[classOfKind(kinds[patch])] as FloatArray, n);
      for (let i = 0; i < n; i++) sums[i] += byWeight[patch * n + map[i]];
    });
    return { squares, pixels: places.pixels(clean), gradients };
  }
}

function keyOf({ rings, classes, crops, mostCrops }: GuidedFitShared): string {
  return [rings, classes.length, crops.patch, crops.crop, crops.stride, mostCrops].join();
}

/** Returns the last n parameters, ω. */
function weightsOf(parameters: FloatArray, n: number): FloatArray {
  return parameters.subarray(parameters.length - n);
}
