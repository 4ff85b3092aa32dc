/** Memory of networks: layout of parameters, of one leaf of samples, and of sums. */
import type { NetworkShape } from "../kernels.js";
import { KernelInstance } from "./instance.js";
import { paddedCount, paddedDimension, rowStride } from "./padding.js";

/** Fewest samples in one step: products are slower with fewer. */
const fewestOfStep = 32;

/**
 * Blocks of the memory. `strips` and `transposedStrips` hold the weights and the transposed weights
 * of all layers in strips of eight columns. `values` holds the inputs of all layers for the samples
 * of a step, and `gradient` the gradient by the outputs. The gradients by other values are in
 * `even` and `odd`, one layer in the one and the next layer in the other.
 */
export type NetworkBlock =
  | "strips"
  | "transposedStrips"
  | "biases"
  | "values"
  | "outputs"
  | "gradient"
  | "even"
  | "odd"
  | "scratch"
  | "sums";

/** Sizes of one layer, and its offsets in the blocks; all in floats. */
export interface LayerLayout {
  readonly inner: number;
  readonly columns: number;
  /** Multiples of 4 and 8. */
  readonly paddedInner: number;
  readonly paddedColumns: number;
  readonly innerStride: number;
  readonly columnStride: number;
  readonly strips: number;
  readonly transposedStrips: number;
  readonly bias: number;
  readonly values: number;
  /** In a level of the tree of sums. */
  readonly weightSums: number;
  readonly biasSums: number;
}

export interface NetworkLayout {
  readonly layers: readonly LayerLayout[];
  /** Samples in one step of the forward pass, a multiple of the samples of a leaf. */
  readonly step: number;
  /** Floats of a level of the tree of sums. */
  readonly level: number;
  /** Floats of each block; those of `sums` for one level. */
  readonly floats: Readonly<Record<NetworkBlock, number>>;
}

export function networkLayout({ widths, leafSize }: NetworkShape): NetworkLayout {
  const step = leafSize * Math.ceil(fewestOfStep / leafSize);
  const rows = paddedCount(step);
  const next = { strips: 0, transposedStrips: 0, bias: 0, values: 0, sums: 0 };
  const layers = widths.slice(0, -1).map((inner, k): LayerLayout => {
    const columns = widths[k + 1];
    const [innerStride, columnStride] = [rowStride(inner), rowStride(columns)];
    const [paddedInner, paddedColumns] = [paddedCount(inner), paddedDimension(columns)];
    const { strips, transposedStrips, bias, values, sums } = next;
    const biasSums = sums + paddedInner * columnStride;
    next.strips += paddedInner * paddedColumns;
    next.transposedStrips += paddedCount(columns) * paddedDimension(inner);
    next.bias += columnStride;
    next.values += rows * innerStride;
    next.sums = biasSums + columnStride;
    const sizes = { inner, columns, paddedInner, paddedColumns, innerStride, columnStride };
    return { ...sizes, strips, transposedStrips, bias, values, weightSums: sums, biasSums };
  });
  const widest = rows * Math.max(...widths.map(rowStride));
  const floats = {
    strips: next.strips,
    transposedStrips: next.transposedStrips,
    biases: next.bias,
    values: next.values,
    outputs: widest,
    gradient: widest,
    even: widest,
    odd: widest,
    scratch: widest,
    sums: next.sums,
  };
  return { layers, step, level: next.sums, floats };
}

/** Memories to keep: couplings that take turns have two shapes if the dimension is odd. */
const mostKept = 4;
/** Larger memories are released after their pass. */
const mostKeptBytes = 2 ** 26;

/**
 * Memories that networks of the same shape share, because an engine allows few of them
 * (operator-shelf.ts). A pass copies its parameters in, which takes little time.
 */
export class NetworkMemories {
  private readonly kept = new Map<
    string,
    { levels: number; memory: KernelInstance<NetworkBlock> }
  >();

  constructor(private readonly module: WebAssembly.Module) {}

  /** Returns a memory with at least `levels` levels of sums; its padding is 0. */
  of({ widths }: NetworkShape, { step, floats }: NetworkLayout, levels: number) {
    const key = `${widths.join()} ${step}`;
    const kept = this.kept.get(key);
    if (kept && kept.levels >= levels) return kept.memory;
    const sizes = { ...floats, sums: floats.sums * levels };
    const blocks = Object.entries(sizes).map(([name, length]) => [name, 4 * length] as const);
    const bytes = Object.fromEntries(blocks) as Record<NetworkBlock, number>;
    const memory = new KernelInstance(this.module, bytes);
    if (blocks.reduce((sum, [, size]) => sum + size, 0) > mostKeptBytes) return memory;
    if (!kept && this.kept.size === mostKept) this.kept.delete([...this.kept.keys()][0]);
    this.kept.set(key, { levels, memory });
    return memory;
  }
}
