/** Groups of similar patches in WebAssembly: copies images in, and adds the sums. */
import { addTo } from "../float-arrays.js";
import type { SimilarRegion, SimilarSettings, SimilarSums } from "../patch-kernels.js";
import { KernelInstance } from "./instance.js";

type SimilarBlock =
  "guide" | "noisy" | "values" | "counts" | "residuals" | "references" | "workspace";

/** Floats that a vector load may read after the last pixel. */
const beyond = 16;

export class WasmSimilar {
  private kept: { readonly key: string; readonly memory: KernelInstance<SimilarBlock> } | undefined;

  constructor(private readonly module: WebAssembly.Module) {}

  estimate(region: SimilarRegion, settings: SimilarSettings, sums: SimilarSums): void {
    const { width, height, references } = region;
    const { size, reach, uncertainty } = settings;
    const area = width * height;
    const memory = this.memoryOf(area, references.length, settings);
    for (const name of ["guide", "noisy"] as const) memory.float32(name, area).set(region[name]);
    memory.int32("references", references.length).set(references);
    const outputs = ["values", "counts", "residuals"] as const;
    for (const name of outputs) memory.float32(name, area).fill(0);
    memory.exports.estimateSimilar(
      memory.address("guide"),
      memory.address("noisy"),
      width,
      height,
      memory.address("references"),
      references.length,
      size,
      reach,
      uncertainty,
      memory.address("values"),
      memory.address("counts"),
      memory.address("residuals"),
      memory.address("workspace"),
    );
    for (const name of outputs) addTo(sums[name].subarray(0, area), memory.float32(name, area));
  }

  /** Keeps the last memory: nearly all tiles of an image have the same size. */
  private memoryOf(area: number, count: number, { size, reach }: SimilarSettings) {
    const key = [area, count, size, reach].join();
    if (this.kept?.key === key) return this.kept.memory;
    const [image, padded] = [4 * (area + beyond), Math.ceil((size * size) / 4) * 4];
    const memory = new KernelInstance<SimilarBlock>(this.module, {
      guide: image,
      noisy: image,
      values: image,
      counts: image,
      residuals: image,
      references: 4 * count,
      workspace: 4 * padded * (padded + 70) + 4 * (2 * reach + 96),
    });
    this.kept = { key, memory };
    return memory;
  }
}
