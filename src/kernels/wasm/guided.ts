/** Estimates by guided densities in WebAssembly: copies images in, and adds the sums. */
import { addTo } from "../float-arrays.js";
import type { FloatArray } from "../kernels.js";
import type {
  GuidedKernel,
  GuidedParameters,
  GuidedRegion,
  GuidedShape,
} from "../patch-kernels.js";
import { RegionMemory, packStrips, paddedPixels } from "./region-memory.js";

/** Patches that the kernel takes at a time, and its blocks of them (kernels/guided.ts). */
const [patchesAtOnce, blocks] = [64, 4];

export class WasmGuided implements GuidedKernel {
  private readonly memory: RegionMemory;
  /** Floats of the parameters of a class. */
  private readonly length: number;

  constructor(
    module: WebAssembly.Module,
    private readonly shape: GuidedShape,
  ) {
    this.memory = new RegionMemory(module, { ...shape, workspace: blocks * patchesAtOnce });
    const n = paddedPixels(shape.size);
    this.length = 4 * n * n + 2 * n;
  }

  load(classes: readonly GuidedParameters[]): void {
    const packed = new Float32Array(classes.length * this.length);
    classes.forEach((each, k) => {
      packInto(packed.subarray(k * this.length, (k + 1) * this.length), each, this.shape.size);
    });
    this.memory.load(packed);
  }

  estimate(region: GuidedRegion, sums: FloatArray): void {
    const { width, height, corners, poses, counts, variance } = region;
    const { size } = this.shape;
    const area = width * height;
    const memory = this.memory.of(width, area, corners);
    for (const name of ["noisy", "guide"] as const) memory.float32(name, area).set(region[name]);
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
        size * size,
        paddedPixels(size),
        memory.address("parameters") + 4 * k * this.length,
        variance,
        memory.address("workspace"),
      );
      first += count;
    });
    addTo(sums.subarray(0, area), memory.float32("sums", area));
  }
}

/** Packs parameters as the kernel reads them; components of the padding change nothing. */
function packInto(
  packed: Float32Array,
  { H, G, gamma, alpha, beta }: GuidedParameters,
  size: number,
): void {
  const [pixels, n] = [size * size, paddedPixels(size)];
  packStrips(packed, 0, size, (i, k) => H[i * pixels + k]);
  packStrips(packed, n * n, size, (i, k) => G[i * pixels + k]);
  packStrips(packed, 2 * n * n, size, (i, k) => gamma[i * pixels + k]);
  packStrips(packed, 3 * n * n, size, (i, k) => H[k * pixels + i]);
  packed.fill(1, 4 * n * n);
  packed.set(alpha, 4 * n * n);
  packed.set(beta, 4 * n * n + n);
}
