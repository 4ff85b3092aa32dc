import type { FloatArray, ProductSizes } from "../kernels.js";
import { KernelInstance } from "./instance.js";
import {
  copyRowsIn,
  copyRowsOut,
  inverseWorkspaceBytes,
  padWithIdentity,
  paddedCount,
  paddedDimension,
  rowStride,
} from "./padding.js";

type InverseBlock = "matrix" | "workspace" | "order" | "panel" | "copy";

/** Elimination for one dimension; reuse it for matrices of the same size. */
export class WasmInverse {
  private readonly paddedN: number;
  private readonly stride: number;
  private readonly memory: KernelInstance<InverseBlock>;
  private readonly matrix: Float32Array;

  constructor(
    module: WebAssembly.Module,
    private readonly n: number,
  ) {
    this.paddedN = paddedDimension(n);
    this.stride = rowStride(n);
    const matrix = 4 * this.stride * this.paddedN;
    this.memory = new KernelInstance(module, {
      matrix,
      workspace: inverseWorkspaceBytes(this.paddedN),
      order: 4 * this.paddedN,
      panel: 64 * this.paddedN,
      copy: matrix,
    });
    this.matrix = this.memory.float32("matrix", matrix / 4);
  }

  /** Writes (I − M)⁻¹ to `inverse`; returns log det and the failed pivot. */
  invertIdentityMinus(
    m: FloatArray,
    inverse: FloatArray,
  ): { logDeterminant: number; failedPivot: number } {
    const { n, stride, matrix, memory } = this;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) matrix[i * stride + j] = (i === j ? 1 : 0) - m[i * n + j];
    }
    padWithIdentity(matrix, stride, n);
    const logDeterminant = memory.exports.invert(
      memory.address("matrix"),
      4 * stride,
      this.paddedN,
      memory.address("workspace"),
    );
    const failedPivot = memory.exports.getFailedPivot();
    if (failedPivot < 0) copyRowsOut(inverse, matrix, stride, n, n);
    else inverse.fill(NaN);
    return { logDeterminant, failedPivot };
  }

  /** Inverts with pivoting; returns log |det|. */
  invert(source: FloatArray, inverse: FloatArray): number {
    const { n, stride, matrix, memory } = this;
    copyRowsIn(matrix, stride, source, n, n);
    padWithIdentity(matrix, stride, n);
    const logAbsDeterminant = memory.exports.invertWithPivoting(
      memory.address("matrix"),
      4 * stride,
      this.paddedN,
      memory.address("workspace"),
      memory.address("order"),
      memory.address("panel"),
      memory.address("copy"),
    );
    if (Number.isNaN(logAbsDeterminant)) inverse.fill(NaN);
    else copyRowsOut(inverse, matrix, stride, n, n);
    return logAbsDeterminant;
  }
}

/**
 * Matrix products in a memory that is reused, since an instance costs more than a small product.
 */
export class WasmProducts {
  private readonly products: KeptMemory<"a" | "b" | "c" | "scratch">;
  private readonly sums: KeptMemory<"a" | "b" | "c">;

  constructor(module: WebAssembly.Module) {
    this.products = new KeptMemory(module);
    this.sums = new KeptMemory(module);
  }

  /** out = A·B */
  multiply(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void {
    const { rows, inner, columns } = sizes;
    const [paddedRows, paddedInner] = [paddedCount(rows), paddedCount(inner)];
    const [aStride, cStride] = [rowStride(inner), rowStride(columns)];
    const memory = this.products.of(sizes, {
      a: 4 * aStride * paddedRows,
      b: 4 * cStride * paddedInner,
      c: 4 * cStride * paddedRows,
      scratch: 4 * paddedInner * (paddedRows + 8),
    });
    copyRowsIn(memory.float32("a", aStride * paddedRows), aStride, a, rows, inner);
    copyRowsIn(memory.float32("b", cStride * paddedInner), cStride, b, inner, columns);
    memory.exports.product(
      memory.address("c"),
      4 * cStride,
      memory.address("a"),
      4 * aStride,
      memory.address("b"),
      4 * cStride,
      paddedRows,
      paddedInner,
      paddedDimension(columns),
      memory.address("scratch"),
    );
    copyRowsOut(out, memory.float32("c", cStride * paddedRows), cStride, rows, columns);
  }

  /** out += Aᵀ·B */
  accumulate(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void {
    const { rows, inner, columns } = sizes;
    const paddedRows = paddedCount(rows);
    const [aStride, cStride] = [rowStride(rows), rowStride(columns)];
    const memory = this.sums.of(sizes, {
      a: 4 * aStride * inner,
      b: 4 * cStride * inner,
      c: 4 * cStride * paddedRows,
    });
    copyRowsIn(memory.float32("a", aStride * inner), aStride, a, inner, rows);
    copyRowsIn(memory.float32("b", cStride * inner), cStride, b, inner, columns);
    const c = memory.float32("c", cStride * paddedRows);
    copyRowsIn(c, cStride, out, rows, columns);
    memory.exports.outerProduct(
      memory.address("c"),
      4 * cStride,
      memory.address("a"),
      4 * aStride,
      memory.address("b"),
      4 * cStride,
      inner,
      paddedRows,
      paddedDimension(columns),
      true,
    );
    copyRowsOut(out, c, cStride, rows, columns);
  }
}

/** Larger memories are released after their product. */
const mostKeptBytes = 2 ** 24;

function sumOf(bytes: Readonly<Record<string, number>>): number {
  return Object.values(bytes).reduce((sum, value) => sum + value, 0);
}

/** Memory that is reused and grows to the largest product so far. */
class KeptMemory<Block extends string> {
  private kept: KernelInstance<Block> | undefined;
  private capacity: Readonly<Record<Block, number>> | undefined;
  private used: ProductSizes | undefined;

  constructor(private readonly module: WebAssembly.Module) {}

  /** Returns blocks of at least these sizes; all values outside the matrices are 0. */
  of(sizes: ProductSizes, bytes: Readonly<Record<Block, number>>): KernelInstance<Block> {
    const blocks = Object.keys(bytes) as Block[];
    const { kept, capacity } = this;
    if (kept && capacity && blocks.every((block) => bytes[block] <= capacity[block])) {
      // The padding must be 0; its place depends on the sizes.
      if (!this.isUsedFor(sizes)) {
        for (const block of blocks) kept.float32(block, bytes[block] / 4).fill(0);
      }
      this.used = sizes;
      return kept;
    }
    if (sumOf(bytes) > mostKeptBytes) return new KernelInstance(this.module, bytes);
    const larger: Record<Block, number> = { ...bytes };
    for (const block of blocks) larger[block] = Math.max(bytes[block], capacity?.[block] ?? 0);
    // The maximum over very different shapes may be too large.
    this.capacity = sumOf(larger) > mostKeptBytes ? bytes : larger;
    this.kept = new KernelInstance(this.module, this.capacity);
    this.used = sizes;
    return this.kept;
  }

  private isUsedFor({ rows, inner, columns }: ProductSizes): boolean {
    const { used } = this;
    return used?.rows === rows && used.inner === inner && used.columns === columns;
  }
}
