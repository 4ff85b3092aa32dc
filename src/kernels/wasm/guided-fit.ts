/** Estimates and gradients of guided densities in WebAssembly, with padded parameters. */
import type { FloatArray } from "../float-array.js";
import type { GuidedFitKernel, GuidedFitShape } from "../patch-kernels.js";
import { KernelInstance } from "./instance.js";
import { copyRowsIn, copyRowsOut, paddedCount, paddedDimension } from "./padding.js";

const rowBlocks = ["noisy", "v", "pooled", "D", "ratio", "estimates", "byU", "byD", "byV"] as const;

type Block = (typeof rowBlocks)[number] | "guide" | "parameters" | "gradient" | "scratch";

/** Patches of one class: from the first row on, padded to a multiple of 4. */
interface Rows {
  readonly expert: number;
  readonly first: number;
  readonly count: number;
}

export class WasmGuidedFit implements GuidedFitKernel {
  private readonly memory: KernelInstance<Block>;
  private readonly n: number;
  private readonly k: number;
  /** Floats of the padded parameters of a class. */
  private readonly length: number;
  private groups: readonly Rows[] = [];
  private variance = 0;

  constructor(
    module: WebAssembly.Module,
    private readonly shape: GuidedFitShape,
  ) {
    const [n, k] = [paddedDimension(shape.pixels), paddedDimension(shape.cells)];
    [this.n, this.k, this.length] = [n, k, 2 * n * n + 2 * n * k + 2 * n];
    const rows = paddedCount(shape.patches) + 4 * shape.classes;
    const row = 4 * n * rows;
    this.memory = new KernelInstance<Block>(module, {
      ...(Object.fromEntries(rowBlocks.map((block) => [block, row])) as Record<
        (typeof rowBlocks)[number],
        number
      >),
      guide: 4 * k * rows,
      parameters: 4 * this.length * shape.classes,
      gradient: 4 * this.length,
      scratch: 4 * (n * k + k * (paddedCount(shape.patches) + 8) + 4 * n),
    });
  }

  load(classes: readonly FloatArray[], variance: number): void {
    const { length, n } = this;
    this.variance = variance;
    const all = this.memory.float32("parameters", length * classes.length);
    classes.forEach((values, c) => {
      const own = all.subarray(c * length, (c + 1) * length);
      this.eachBlock((from, to, rows, columns, stride) => {
        copyRowsIn(own.subarray(to), stride, values.subarray(from), rows, columns);
      });
      // Padding must not divide by 0.
      own.fill(1, length - n + this.shape.pixels, length);
    });
  }

  estimate(
    counts: ArrayLike<number>,
    noisy: FloatArray,
    guide: FloatArray,
    estimates: FloatArray,
  ): void {
    const { pixels, cells } = this.shape;
    const groups: Rows[] = [];
    let first = 0;
    let from = 0;
    for (let expert = 0; expert < counts.length; expert++) {
      const count = counts[expert];
      if (count === 0) continue;
      const group = { expert, first, count };
      groups.push(group);
      this.copyIn("noisy", group, noisy.subarray(from * pixels), pixels);
      this.copyIn("guide", group, guide.subarray(from * cells), cells);
      this.run("guidedActivity", group);
      const own = this.rowsOf("estimates", group, this.n);
      copyRowsOut(estimates.subarray(from * pixels), own, this.n, count, pixels);
      first += paddedCount(count);
      from += count;
    }
    this.groups = groups;
  }

  gradient(errors: FloatArray, gradients: readonly (FloatArray | null)[]): void {
    const { pixels } = this.shape;
    const own = this.memory.float32("gradient", this.length);
    let from = 0;
    for (const group of this.groups) {
      this.copyIn("estimates", group, errors.subarray(from * pixels), pixels);
      from += group.count;
      this.run("guidedGradient", group);
      const out = gradients[group.expert];
      if (!out) continue;
      this.eachBlock((to, at, rows, columns, stride) => {
        copyRowsOut(out.subarray(to), own.subarray(at), stride, rows, columns);
      });
    }
  }

  private run(pass: "guidedActivity" | "guidedGradient", { expert, first, count }: Rows): void {
    const { memory, n, k, length } = this;
    const at = (block: Block, floats: number): number => memory.address(block) + 4 * floats;
    const row = (block: Block): number => at(block, first * n);
    const common = [
      at("parameters", expert * length),
      row("noisy"),
      at("guide", first * k),
      row("v"),
      row("pooled"),
      row("D"),
      row("ratio"),
      row("estimates"),
      paddedCount(count),
      n,
      k,
      this.variance,
    ] as const;
    const scratch = memory.address("scratch");
    if (pass === "guidedActivity") memory.exports.guidedActivity(...common, scratch);
    else {
      const gradient = memory.address("gradient");
      const sums = [row("byU"), row("byD"), row("byV")] as const;
      memory.exports.guidedGradient(...common, gradient, ...sums, scratch);
    }
  }

  /** Visits H, M, G, γ, α and β: their places without and with padding. */
  private eachBlock(
    visit: (from: number, to: number, rows: number, columns: number, stride: number) => void,
  ): void {
    const { pixels, cells } = this.shape;
    const { n, k } = this;
    let [from, to] = [0, 0];
    for (const [columns, stride] of [
      [pixels, n],
      [cells, k],
      [cells, k],
      [pixels, n],
    ]) {
      visit(from, to, pixels, columns, stride);
      from += pixels * columns;
      to += n * stride;
    }
    for (let vector = 0; vector < 2; vector++) {
      visit(from, to, 1, pixels, n);
      from += pixels;
      to += n;
    }
  }

  private rowsOf(block: Block, { first, count }: Rows, stride: number): Float32Array {
    const end = (first + paddedCount(count)) * stride;
    return this.memory.float32(block, end).subarray(first * stride);
  }

  private copyIn(
    block: "noisy" | "guide" | "estimates",
    group: Rows,
    from: FloatArray,
    columns: number,
  ): void {
    const stride = paddedDimension(columns);
    const rows = this.rowsOf(block, group, stride);
    if (columns === stride) rows.set(from.subarray(0, group.count * columns));
    else copyRowsIn(rows, stride, from, group.count, columns);
    rows.fill(0, group.count * stride);
  }
}
