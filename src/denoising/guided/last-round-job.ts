/** Worker job for estimates of the last round (denoise-last.ts): the patches of one tile. */
import type { ImageSize } from "../../images/grey-image.js";
import { inPrecision } from "../../kernels/float-arrays.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import type { GuidedFitKernel } from "../../kernels/patch-kernels.js";
import type { Job } from "../../parallel/job.js";
import { patchesAt } from "../overlapping-patches.js";
import type { TileSums } from "../tile-average.js";
import { GuideCells, cellPoses, ringMargin } from "./guide-cells.js";
import { byClass, posed } from "./posed-patches.js";
import { type ClassBounds, classOfKind, kindsAt, poseMaps, poseOfKind } from "./patch-classes.js";

export interface LastRoundShared {
  /** Side of the patches in pixels. */
  readonly size: number;
  readonly rings: number;
  /** Parameters of each class (guided-parameters.ts). */
  readonly classes: readonly FloatArray[];
  /** σ², standardised. */
  readonly variance: number;
  /** Borders between classes, for standardised pixels. */
  readonly bounds: ClassBounds;
}

export interface LastRoundTask extends ImageSize {
  /** Standardised pixels. */
  readonly noisy: Float32Array;
  /** The same of the guide, with the margin of the rings on each side. */
  readonly guide: Float32Array;
  readonly corners: Int32Array;
}

/** Sums are weighted; the counts are the sums of the weights. */
export const lastRoundJob: Job<LastRoundShared, LastRoundTask, TileSums> = {
  name: "last round",
  open(kernels) {
    let work: LastRound | undefined;
    return {
      share(shared) {
        work = new LastRound(kernels, shared);
      },
      perform(task) {
        if (!work) throw new Error("parameters come before tasks");
        const result = work.perform(task);
        const transfer = [result.sums, result.counts].map(({ buffer }) => buffer as ArrayBuffer);
        return { result, transfer };
      },
    };
  },
};

/** Patches at a time: their activity takes 5 MB. */
const patchesAtOnce = 2048;

class LastRound {
  private readonly kernel: GuidedFitKernel;
  private readonly poses: readonly Uint16Array[];
  private readonly cells: readonly Uint16Array[];

  constructor(
    private readonly kernels: Kernels,
    private readonly shared: LastRoundShared,
  ) {
    const { size, rings, classes, variance } = shared;
    this.poses = poseMaps(size);
    this.cells = cellPoses(size, rings);
    this.kernel = kernels.guidedFit({
      pixels: this.poses[0].length,
      cells: this.cells[0].length,
      classes: classes.length,
      patches: patchesAtOnce,
    });
    this.kernel.load(classes, variance);
  }

  perform({ width, height, noisy, guide, corners }: LastRoundTask): TileSums {
    const { kernels } = this;
    const { size, rings, bounds } = this.shared;
    const margin = ringMargin(rings);
    const wide = { width: width + 2 * margin, height: height + 2 * margin, pixels: guide };
    const inner = { width, height, pixels: inPrecision(kernels, innerOf(wide, margin)) };
    const kinds = kindsAt(kernels, inner, size, bounds, corners);
    const around = new GuideCells(wide, size, rings);
    const area = width * height;
    const result = { sums: new Float32Array(area), counts: new Float32Array(area) };
    for (let first = 0; first < corners.length; first += patchesAtOnce) {
      const own = Uint32Array.from(corners.subarray(first, first + patchesAtOnce));
      const patches = patchesAt({ width, height, pixels: noisy }, own, size);
      const some = kinds.subarray(first, first + own.length);
      this.add(result, width, own, some, patches, around.at(own));
    }
    return result;
  }

  /** Adds the estimates of some patches. */
  private add(
    { sums, counts: weights }: TileSums,
    width: number,
    corners: Uint32Array,
    kinds: Uint16Array,
    noisy: Float32Array,
    cells: Float32Array,
  ): void {
    const { kernels, kernel, poses } = this;
    const { size, classes } = this.shared;
    const n = size * size;
    const { order, counts } = byClass(kinds, classes.length);
    const estimates = kernels.floats(noisy.length);
    const own = posed(kernels, noisy, kinds, order, poses);
    kernel.estimate(counts, own, posed(kernels, cells, kinds, order, this.cells), estimates);
    const offsets = poses.map((map) =>
      Uint32Array.from(map, (place) => Math.floor(place / size) * width + (place % size)),
    );
    order.forEach((patch, k) => {
      const kind = kinds[patch];
      const places = offsets[poseOfKind(kind)];
      const parameters = classes[classOfKind(kind)];
      const omega = parameters.length - n;
      for (let i = 0; i < n; i++) {
        const at = corners[patch] + places[i];
        sums[at] += parameters[omega + i] * estimates[k * n + i];
        weights[at] += parameters[omega + i];
      }
    });
  }
}

function innerOf(
  { width, height, pixels }: ImageSize & { readonly pixels: Float32Array },
  margin: number,
): Float32Array {
  const [columns, rows] = [width - 2 * margin, height - 2 * margin];
  const inner = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const from = (row + margin) * width + margin;
    inner.set(pixels.subarray(from, from + columns), row * columns);
  }
  return inner;
}
