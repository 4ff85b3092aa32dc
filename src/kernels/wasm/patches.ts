/** Estimates by a density of patches in WebAssembly: copies an image in, and adds the sums. */
import { addTo } from "../float-arrays.js";
import type { FloatArray } from "../kernels.js";
import type { PatchDensity, PatchKernel, PatchRegion, PatchSettings } from "../patch-kernels.js";
import { RegionMemory, packStrips, paddedPixels } from "./region-memory.js";

/** Patches that the kernel takes at a time, and its blocks of them (kernels/score.ts). */
const [patchesAtOnce, blocks] = [32, 8];

export class WasmPatches implements PatchKernel {
  private readonly memory: RegionMemory;

  constructor(
    module: WebAssembly.Module,
    private readonly size: number,
  ) {
    const inOrder = Uint16Array.from({ length: size * size }, (_, k) => k);
    const workspace = blocks * patchesAtOnce;
    this.memory = new RegionMemory(module, { size, poses: [inOrder], workspace });
  }

  load({ H, gamma, c, alpha, beta, epsilon }: PatchDensity): void {
    const { size } = this;
    const [pixels, n] = [size * size, paddedPixels(size)];
    const packed = new Float32Array(5 * n * n + 5 * n);
    const coupling = (i: number, k: number): number =>
      i === k ? 0 : gamma[i * pixels + k] * gamma[k * pixels + i];
    packStrips(packed, 0, size, (i, k) => H[i * pixels + k]);
    packStrips(packed, n * n, size, (i, k) => gamma[i * pixels + k]);
    packStrips(packed, 2 * n * n, size, coupling);
    packStrips(packed, 3 * n * n, size, (i, k) => gamma[k * pixels + i]);
    packStrips(packed, 4 * n * n, size, (i, k) => H[k * pixels + i]);
    const own = Float32Array.from({ length: pixels }, (_, i) => gamma[i * pixels + i]);
    const ones = new Float32Array(n).fill(1);
    const zeros = new Float32Array(n);
    // Components of the padding change nothing.
    [zeros, ones, ones, zeros, zeros].forEach((padding, k) => {
      packed.set(padding, 5 * n * n + k * n);
      packed.set([c, alpha, beta, epsilon, own][k], 5 * n * n + k * n);
    });
    this.memory.load(packed);
  }

  estimate(region: PatchRegion, { sigma, isBounded }: PatchSettings, sums: FloatArray): void {
    const { width, height, noisy, corners } = region;
    const { size } = this;
    const area = width * height;
    const memory = this.memory.of(width, area, corners);
    memory.float32("noisy", area).set(noisy);
    memory.exports.estimatePatches(
      memory.address("noisy"),
      memory.address("sums"),
      memory.address("corners"),
      corners.length,
      memory.address("offsets"),
      size * size,
      paddedPixels(size),
      memory.address("parameters"),
      sigma,
      isBounded,
      memory.address("workspace"),
    );
    addTo(sums.subarray(0, area), memory.float32("sums", area));
  }
}
