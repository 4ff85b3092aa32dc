/** Estimates by guided densities in WebAssembly: copies images in, and adds the sums. */
import { addTo } from "../float-arrays.js";
import type {
  FloatArray,
  GuidedKernel,
  GuidedParameters,
  GuidedRegion,
  GuidedShape,
} from "../kernels.js";
import { KernelInstance } from "./instance.js";

type GuidedBlock =
  "experts" | "noisy" | "guide" | "sums" | "corners" | "poses" | "offsets" | "workspace";

/** Patches that the kernel takes at a time (kernels/guided.ts), and its blocks of them. */
const [patchesAtOnce, patchBlocks] = [64, 4];

export class WasmGuided implements GuidedKernel {
  private readonly pixels: number;
  /** Pixels of a patch in whole vectors. */
  private readonly n: number;
  private packed: Float32Array[] = [];
  private memory: KernelInstance<GuidedBlock> | undefined;
  /** Pixels of an image and patches that the memory has room for. */
  private area = 0;
  private patches = 0;
  /** Width of the images for which offsets are in memory. */
  private width = 0;

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly shape: GuidedShape,
  ) {
    this.pixels = shape.size * shape.size;
    this.n = Math.ceil(this.pixels / 4) * 4;
  }

  load(classes: readonly GuidedParameters[]): void {
    this.packed = classes.map((each) => packedOf(each, this.pixels, this.n));
    this.memory = undefined;
  }

  estimate(region: GuidedRegion, sums: FloatArray): void {
    const { width, height, corners, poses, counts, variance } = region;
    const area = width * height;
    const memory = this.memoryFor(width, area, corners.length);
    for (const name of ["noisy", "guide"] as const) memory.float32(name, area).set(region[name]);
    memory.float32("sums", area).fill(0);
    memory.int32("corners", corners.length).set(corners);
    memory.int32("poses", corners.length).set(poses);
    let first = 0;
    counts.forEach((count, k) => {
      if (count === 0) return;
      memory.exports.estimateGuided(
        memory.address("noisy"),
        memory.address("guide"),
        memory.address("sums"),
        memory.address("corners") + 4 * first,
        memory.address("poses") + 4 * first,
        count,
        memory.address("offsets"),
        this.pixels,
        this.n,
        memory.address("experts") + 4 * k * this.packed[k].length,
        variance,
        memory.address("workspace"),
      );
      first += count;
    });
    addTo(sums.subarray(0, area), memory.float32("sums", area));
  }

  private memoryFor(width: number, area: number, patches: number): KernelInstance<GuidedBlock> {
    if (this.memory && area <= this.area && patches <= this.patches) {
      if (width !== this.width) this.placeOffsets(this.memory, width);
      return this.memory;
    }
    this.area = Math.max(area, this.area);
    this.patches = Math.max(patches, this.patches);
    const { module, shape, packed, n } = this;
    const [image, list, expert] = [4 * this.area, 4 * this.patches, packed[0].length];
    const memory = new KernelInstance<GuidedBlock>(module, {
      experts: 4 * packed.length * expert,
      noisy: image,
      guide: image,
      sums: image,
      corners: list,
      poses: list,
      offsets: 4 * shape.poses.length * n,
      workspace: 4 * patchBlocks * patchesAtOnce * n,
    });
    const experts = memory.float32("experts", packed.length * expert);
    packed.forEach((values, k) => {
      experts.set(values, k * expert);
    });
    this.placeOffsets(memory, width);
    this.memory = memory;
    return memory;
  }

  /** Writes the distances in bytes of the pixels of a patch from its corner, for each pose. */
  private placeOffsets(memory: KernelInstance<GuidedBlock>, width: number): void {
    const { n, shape } = this;
    const offsets = memory.int32("offsets", shape.poses.length * n);
    offsets.fill(0);
    shape.poses.forEach((pose, p) => {
      pose.forEach((place, k) => {
        offsets[p * n + k] = 4 * (Math.floor(place / shape.size) * width + (place % shape.size));
      });
    });
    this.width = width;
  }
}

/** Packs parameters as the kernel reads them; components of the padding change nothing. */
function packedOf(
  { H, G, gamma, alpha, beta }: GuidedParameters,
  pixels: number,
  n: number,
): Float32Array {
  const packed = new Float32Array(4 * n * n + 2 * n);
  const pack = (block: number, at: (i: number, k: number) => number): void => {
    const start = block * n * n;
    for (let i = 0; i < pixels; i++) {
      const strip = start + (i - (i % 4)) * n + (i % 4);
      for (let k = 0; k < pixels; k++) packed[strip + 4 * k] = at(i, k);
    }
  };
  pack(0, (i, k) => H[i * pixels + k]);
  pack(1, (i, k) => G[i * pixels + k]);
  pack(2, (i, k) => gamma[i * pixels + k]);
  pack(3, (i, k) => H[k * pixels + i]);
  packed.fill(1, 4 * n * n);
  packed.set(alpha, 4 * n * n);
  packed.set(beta, 4 * n * n + n);
  return packed;
}
