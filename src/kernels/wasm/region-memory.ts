/** Memory of the kernels that read patches from an image and add estimates to another. */
import { KernelInstance } from "./instance.js";

type RegionBlock =
  "parameters" | "noisy" | "guide" | "sums" | "corners" | "poses" | "offsets" | "workspace";

export interface RegionShape {
  /** Side of the patches in pixels. */
  readonly size: number;
  /** For each pose, the place in the image from which each pixel of the posed patch comes. */
  readonly poses: readonly Uint16Array[];
  /** Floats of the workspace for each component of a patch. */
  readonly workspace: number;
}

/** Number of components of a patch in whole vectors. */
export function paddedPixels(size: number): number {
  return Math.ceil((size * size) / 4) * 4;
}

/** Keeps a memory that is large enough for the regions so far, with the parameters in it. */
export class RegionMemory {
  private parameters = new Float32Array();
  private memory: KernelInstance<RegionBlock> | undefined;
  private area = 0;
  private patches = 0;
  /** Width of the regions for which offsets are in memory. */
  private width = 0;

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly shape: RegionShape,
  ) {}

  load(parameters: Float32Array<ArrayBuffer>): void {
    this.parameters = parameters;
    this.memory = undefined;
  }

  /** Returns a memory with sums of 0 and with the corners of the patches. */
  of(width: number, area: number, corners: Int32Array): KernelInstance<RegionBlock> {
    const memory = this.withRoomFor(area, corners.length);
    if (width !== this.width) this.placeOffsets(memory, width);
    memory.float32("sums", area).fill(0);
    memory.int32("corners", corners.length).set(corners);
    return memory;
  }

  private withRoomFor(area: number, patches: number): KernelInstance<RegionBlock> {
    if (this.memory && area <= this.area && patches <= this.patches) return this.memory;
    this.area = Math.max(area, this.area);
    this.patches = Math.max(patches, this.patches);
    const { module, shape, parameters } = this;
    const [image, list, n] = [4 * this.area, 4 * this.patches, paddedPixels(shape.size)];
    this.memory = new KernelInstance<RegionBlock>(module, {
      parameters: 4 * parameters.length,
      noisy: image,
      guide: image,
      sums: image,
      corners: list,
      poses: list,
      offsets: 4 * shape.poses.length * n,
      workspace: 4 * shape.workspace * n,
    });
    this.memory.float32("parameters", parameters.length).set(parameters);
    this.width = 0;
    return this.memory;
  }

  /** Writes the distances in bytes of the pixels of a patch from its corner, for each pose. */
  private placeOffsets(memory: KernelInstance<RegionBlock>, width: number): void {
    const { size, poses } = this.shape;
    const n = paddedPixels(size);
    const offsets = memory.int32("offsets", poses.length * n).fill(0);
    poses.forEach((pose, p) => {
      pose.forEach((place, k) => {
        offsets[p * n + k] = 4 * (Math.floor(place / size) * width + (place % size));
      });
    });
    this.width = width;
  }
}

/** Writes a matrix with the entries `at(i, k)` in strips of four rows (kernels/strips.ts). */
export function packStrips(
  packed: Float32Array,
  start: number,
  size: number,
  at: (i: number, k: number) => number,
): void {
  const [pixels, n] = [size * size, paddedPixels(size)];
  for (let i = 0; i < pixels; i++) {
    const strip = start + (i - (i % 4)) * n + (i % 4);
    for (let k = 0; k < pixels; k++) packed[strip + 4 * k] = at(i, k);
  }
}
