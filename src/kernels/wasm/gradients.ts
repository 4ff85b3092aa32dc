/** Sums of gradients in WebAssembly: copies the image in, and the five maps out. */
import type { FloatArray } from "../kernels.js";
import type { GradientSums, PixelArray } from "../patch-kernels.js";
import { KernelInstance } from "./instance.js";

/** Order of the maps in the memory of the kernel. */
const maps = ["xx", "xy", "yy", "x", "y"] as const;

/** Floats that vectors may reach after the last pixel, beside the width of a patch. */
const beyond = 16;

export class WasmGradients {
  private kept:
    | { readonly floats: number; readonly memory: KernelInstance<"image" | "weights" | "maps"> }
    | undefined;

  constructor(private readonly module: WebAssembly.Module) {}

  sum({ width, height, pixels }: PixelArray, weights: FloatArray, out: GradientSums): void {
    const [area, size] = [width * height, weights.length];
    const { memory, floats } = this.memoryOf(area + size + beyond, size);
    memory.float32("image", area).set(pixels.subarray(0, area));
    memory.float32("weights", size).set(weights);
    memory.exports.sumGradients(
      memory.address("image"),
      width,
      height,
      memory.address("weights"),
      size,
      memory.address("maps"),
      4 * floats,
    );
    const all = memory.float32("maps", 5 * floats);
    maps.forEach((name, k) => {
      out[name].set(all.subarray(k * floats, k * floats + area));
    });
  }

  /** Keeps a memory that is large enough. */
  private memoryOf(least: number, size: number) {
    if (this.kept && this.kept.floats >= least) return this.kept;
    const floats = Math.ceil(least / 16) * 16;
    const blocks = { image: 4 * floats, weights: 4 * Math.max(64, size), maps: 20 * floats };
    this.kept = { floats, memory: new KernelInstance(this.module, blocks) };
    return this.kept;
  }
}
