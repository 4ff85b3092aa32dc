import { GaussianizeError } from "../../errors.js";

/** Exports of kernels/index.ts; addresses and strides are in bytes. */
export interface KernelExports {
  heapBase(): number;
  expArray(x: number, out: number, count: number): void;
  logArray(x: number, out: number, count: number): void;
  powArray(base: number, exponent: number, out: number, count: number): void;
  add(target: number, source: number, count: number): void;
  transpose(
    target: number,
    targetStride: number,
    source: number,
    sourceStride: number,
    rows: number,
    columns: number,
  ): void;
  packTransposed(
    strips: number,
    source: number,
    sourceStride: number,
    rows: number,
    columns: number,
  ): void;
  product(
    c: number,
    cStride: number,
    a: number,
    aStride: number,
    b: number,
    bStride: number,
    rows: number,
    depth: number,
    columns: number,
    scratch: number,
  ): void;
  stripProduct(
    c: number,
    cStride: number,
    a: number,
    aStride: number,
    strips: number,
    rows: number,
    depth: number,
    columns: number,
    scratch: number,
  ): void;
  rectify(values: number, stride: number, rows: number, columns: number, bias: number): void;
  multiplyBySlopes(gradient: number, values: number, count: number): void;
  outerProduct(
    c: number,
    cStride: number,
    a: number,
    aStride: number,
    b: number,
    bStride: number,
    depth: number,
    rows: number,
    columns: number,
    accumulate: boolean,
  ): void;
  invert(matrix: number, stride: number, n: number, workspace: number): number;
  logDeterminant(matrix: number, stride: number, n: number, workspace: number): number;
  invertWithPivoting(
    matrix: number,
    stride: number,
    n: number,
    workspace: number,
    order: number,
    panel: number,
    copy: number,
  ): number;
  getFailedPivot(): number;
  gaussianizeGeneral(layer: number): void;
  approximateColumn(layer: number): void;
  gaussianizeColumn(layer: number): void;
  gaussianizeDiagonal(layer: number): void;
  gaussianizeLowRank(layer: number): void;
  gaussianizeRankOne(layer: number): void;
  backpropagateGeneral(layer: number): void;
  backpropagateColumn(layer: number): void;
  backpropagateDiagonal(layer: number): void;
  backpropagateLowRank(layer: number): void;
  backpropagateRankOne(layer: number): void;
  backpropagateProbes(layer: number, seed: number, tolerance: number): void;
  prepareProbes(layer: number): void;
  prepareLowRank(layer: number): void;
  coarsen(coarse: number, matrix: number, stride: number, n: number): void;
  synthesize(
    layer: number,
    form: number,
    newton: boolean,
    tolerance: number,
    maximumIterations: number,
  ): void;
  estimateSimilar(
    guide: number,
    noisy: number,
    width: number,
    height: number,
    references: number,
    count: number,
    size: number,
    reach: number,
    uncertainty: number,
    values: number,
    counts: number,
    residuals: number,
    workspace: number,
  ): void;
  guidedActivity(
    parameters: number,
    noisy: number,
    guide: number,
    v: number,
    pooled: number,
    D: number,
    ratio: number,
    estimates: number,
    rows: number,
    n: number,
    k: number,
    variance: number,
    scratch: number,
  ): void;
  guidedGradient(
    parameters: number,
    noisy: number,
    guide: number,
    v: number,
    pooled: number,
    D: number,
    ratio: number,
    estimates: number,
    rows: number,
    n: number,
    k: number,
    variance: number,
    gradient: number,
    byU: number,
    byD: number,
    byV: number,
    scratch: number,
  ): void;
  sumGradients(
    pixels: number,
    width: number,
    height: number,
    weights: number,
    size: number,
    maps: number,
    mapBytes: number,
  ): void;
  estimateGuided(
    noisy: number,
    guide: number,
    sums: number,
    corners: number,
    poses: number,
    count: number,
    offsets: number,
    pixels: number,
    n: number,
    expert: number,
    variance: number,
    workspace: number,
  ): void;
  estimatePatches(
    noisy: number,
    sums: number,
    corners: number,
    count: number,
    offsets: number,
    pixels: number,
    n: number,
    density: number,
    sigma: number,
    isBounded: boolean,
    workspace: number,
  ): void;
  multiplyAddPeak(rounds: number): number;
  multiplyAddOperations(): number;
  productSumPeak(rounds: number): number;
  productSumOperations(): number;
}

const pageBytes = 65536;
/** Blocks start at cache lines. */
const alignment = 64;

/** WebAssembly instance whose memory of fixed size holds named blocks: views stay attached. */
export class KernelInstance<Block extends string> {
  readonly exports: KernelExports;
  private readonly buffer: ArrayBuffer;
  private readonly addresses = new Map<Block, number>();

  /** `blocks` holds the size of each block in bytes. */
  constructor(module: WebAssembly.Module, blocks: Readonly<Record<Block, number>>) {
    const names = Object.keys(blocks) as Block[];
    const total = names.reduce((sum, name) => sum + aligned(blocks[name]), 0);
    // The kernels' own static blocks lie below heapBase, well within the first page.
    const memory = memoryOf(1 + Math.ceil(total / pageBytes));
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    this.exports = instance.exports as unknown as KernelExports;
    this.buffer = memory.buffer;
    let next = aligned(this.exports.heapBase());
    for (const name of names) {
      this.addresses.set(name, next);
      next += aligned(blocks[name]);
    }
  }

  address(block: Block): number {
    return this.addresses.get(block) as number;
  }

  float32(block: Block, length: number): Float32Array {
    return new Float32Array(this.buffer, this.address(block), length);
  }

  float64(block: Block, length: number): Float64Array {
    return new Float64Array(this.buffer, this.address(block), length);
  }

  int32(block: Block, length: number): Int32Array {
    return new Int32Array(this.buffer, this.address(block), length);
  }
}

function memoryOf(pages: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages });
  } catch {
    const megabytes = Math.round((pages * pageBytes) / 1e6);
    throw new GaussianizeError(
      "unavailable",
      `Cannot allocate ${megabytes} MB of WebAssembly memory for the kernels. Use fewer dimensions or close other programs.`,
    );
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
