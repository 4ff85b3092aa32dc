/** Networks in WebAssembly: copies parameters and samples in, and results out. */
import type {
  FloatArray,
  NetworkGradientResults,
  NetworkKernel,
  NetworkLayer,
  NetworkShape,
} from "../kernels.js";
import { foldTree } from "../reduction-tree.js";
import { levelsFor } from "./gdn-memory.js";
import type { KernelExports, KernelInstance } from "./instance.js";
import {
  type LayerLayout,
  type NetworkBlock,
  type NetworkLayout,
  type NetworkMemories,
  networkLayout,
} from "./network-memory.js";
import { copyRowsIn, copyRowsOut, paddedCount, paddedDimension } from "./padding.js";

export class WasmNetwork implements NetworkKernel {
  private readonly layout: NetworkLayout;
  private readonly strips: Float32Array;
  private readonly transposedStrips: Float32Array;
  private readonly biases: Float32Array;

  constructor(
    private readonly memories: NetworkMemories,
    private readonly shape: NetworkShape,
  ) {
    this.layout = networkLayout(shape);
    const { floats } = this.layout;
    this.strips = new Float32Array(floats.strips);
    this.transposedStrips = new Float32Array(floats.transposedStrips);
    this.biases = new Float32Array(floats.biases);
  }

  load(layers: readonly NetworkLayer[]): void {
    this.layout.layers.forEach((layout, k) => {
      const { weights, bias } = layers[k];
      const { inner, columns } = layout;
      const strips = this.strips.subarray(layout.strips);
      const transposedStrips = this.transposedStrips.subarray(layout.transposedStrips);
      const [height, transposedHeight] = [8 * layout.paddedInner, 8 * paddedCount(columns)];
      for (let i = 0; i < inner; i++) {
        const inStrip = (i >> 3) * transposedHeight + (i & 7);
        for (let j = 0; j < columns; j++) {
          const value = weights[i * columns + j];
          strips[(j >> 3) * height + 8 * i + (j & 7)] = value;
          transposedStrips[inStrip + 8 * j] = value;
        }
      }
      this.biases.set(bias, layout.bias);
    });
  }

  /** Holds the block `values` of every step. */
  activations(count: number): Float32Array {
    const { step, floats } = this.layout;
    return new Float32Array(Math.ceil(count / step) * floats.values);
  }

  forward(x: FloatArray, count: number, outputs: FloatArray, activations: FloatArray | null): void {
    const { layers, step, floats } = this.layout;
    const memory = this.memories.of(this.shape, this.layout, 1);
    memory.float32("strips", floats.strips).set(this.strips);
    memory.float32("biases", floats.biases).set(this.biases);
    const values = memory.float32("values", floats.values);
    const out = memory.float32("outputs", floats.outputs);
    const { inner, innerStride } = layers[0];
    const { columns, columnStride } = layers[layers.length - 1];
    for (let first = 0; first < count; first += step) {
      const samples = Math.min(step, count - first);
      const own = x.subarray(first * inner, (first + samples) * inner);
      copyRowsIn(values, innerStride, own, samples, inner);
      layers.forEach((layer, k) => {
        forwardLayer(memory, layer, layers.at(k + 1), samples);
      });
      activations?.set(values, (first / step) * floats.values);
      copyRowsOut(outputs.subarray(first * columns), out, columnStride, samples, columns);
    }
  }

  backpropagate(
    activations: FloatArray,
    outputGradient: FloatArray,
    failedPivot: Int32Array,
    results: NetworkGradientResults,
  ): void {
    const count = failedPivot.length;
    const { level, floats, step } = this.layout;
    // Without sums, a leaf may have any size.
    const leafSize = results.sums ? this.shape.leafSize : step;
    const leaves = Math.ceil(count / leafSize);
    const levels = results.sums ? levelsFor(leaves) : 1;
    const memory = this.memories.of(this.shape, this.layout, levels);
    // An empty batch has no leaf to overwrite the sums.
    if (count === 0) memory.float32("sums", level).fill(0);
    memory.float32("transposedStrips", floats.transposedStrips).set(this.transposedStrips);
    const addressOf = (slot: number): number => memory.address("sums") + 4 * slot * level;
    foldTree(
      leaves,
      (slot, leaf) => {
        const first = leaf * leafSize;
        if (first % step === 0) this.loadActivations(memory, activations, failedPivot, first);
        const samples = Math.min(leafSize, count - first);
        this.loadGradient(memory, outputGradient, first, samples);
        if (results.sums) this.clearBiasSums(memory, slot * level);
        this.backwardLeaf(memory, { first, samples, sums: addressOf(slot) }, results);
      },
      (slot) => {
        if (results.sums) memory.exports.add(addressOf(slot), addressOf(slot + 1), level);
      },
    );
    if (results.sums) this.copySumsOut(memory, results.sums);
  }

  /** Copies the activations of the step that begins at sample `first`; 0 for failed samples. */
  private loadActivations(
    memory: NetworkMemory,
    activations: FloatArray,
    failedPivot: Int32Array,
    first: number,
  ): void {
    const { layers, step, floats } = this.layout;
    const values = memory.float32("values", floats.values);
    const from = (first / step) * floats.values;
    values.set(activations.subarray(from, from + floats.values));
    failedPivot.subarray(first, first + step).forEach((pivot, s) => {
      if (pivot < 0) return;
      // 0 times a value that is not finite is NaN, and the sums would contain it.
      for (const { values: start, innerStride } of layers) {
        values.fill(0, start + s * innerStride, start + (s + 1) * innerStride);
      }
    });
  }

  private loadGradient(
    memory: NetworkMemory,
    outputGradient: FloatArray,
    first: number,
    samples: number,
  ): void {
    const { layers, floats } = this.layout;
    const { columns, columnStride } = layers[layers.length - 1];
    const own = outputGradient.subarray(first * columns, (first + samples) * columns);
    const target = memory.float32("gradient", floats.gradient);
    copyRowsIn(target, columnStride, own, samples, columns);
  }

  private backwardLeaf(
    memory: NetworkMemory,
    { first, samples, sums }: { first: number; samples: number; sums: number },
    results: NetworkGradientResults,
  ): void {
    const { layers, step, floats } = this.layout;
    const { exports } = memory;
    let gradient: NetworkBlock = "gradient";
    for (let k = layers.length - 1; k >= 0; k--) {
      const layer = layers[k];
      const row = layer.values + (first % step) * layer.innerStride;
      const values = memory.address("values") + 4 * row;
      const from = memory.address(gradient);
      if (results.sums) sumLeaf(exports, layer, { sums, values, gradient: from, samples });
      if (k === 0 && !results.xGradient) return;
      gradient = k % 2 === 0 ? "even" : "odd";
      pullBack(memory, layer, { to: memory.address(gradient), from, samples });
      if (k === 0) continue;
      exports.multiplyBySlopes(memory.address(gradient), values, samples * layer.innerStride);
    }
    const { inner, innerStride } = layers[0];
    const out = results.xGradient?.subarray(first * inner, (first + samples) * inner);
    if (out) copyRowsOut(out, memory.float32("even", floats.even), innerStride, samples, inner);
  }

  /** Sets the sums of the biases in a level to 0; those of the weights are overwritten. */
  private clearBiasSums(memory: NetworkMemory, level: number): void {
    const end = level + this.layout.level;
    const sums = memory.float32("sums", end);
    for (const { biasSums, columnStride } of this.layout.layers) {
      sums.fill(0, level + biasSums, level + biasSums + columnStride);
    }
  }

  private copySumsOut(memory: NetworkMemory, sums: readonly NetworkLayer[]): void {
    const level = memory.float32("sums", this.layout.level);
    this.layout.layers.forEach(({ weightSums, biasSums, columnStride, inner, columns }, k) => {
      copyRowsOut(sums[k].weights, level.subarray(weightSums), columnStride, inner, columns);
      sums[k].bias.set(level.subarray(biasSums, biasSums + columns));
    });
  }
}

type NetworkMemory = KernelInstance<NetworkBlock>;

/** Computes the inputs of the next layer, or the outputs after the last. */
function forwardLayer(
  memory: NetworkMemory,
  layer: LayerLayout,
  next: LayerLayout | undefined,
  samples: number,
): void {
  const { exports } = memory;
  const stride = 4 * layer.columnStride;
  const target = next ? memory.address("values") + 4 * next.values : memory.address("outputs");
  exports.stripProduct(
    target,
    stride,
    memory.address("values") + 4 * layer.values,
    4 * layer.innerStride,
    memory.address("strips") + 4 * layer.strips,
    paddedCount(samples),
    layer.paddedInner,
    layer.paddedColumns,
    memory.address("scratch"),
  );
  const bias = memory.address("biases") + 4 * layer.bias;
  if (next) exports.rectify(target, stride, samples, layer.paddedColumns, bias);
  else for (let s = 0; s < samples; s++) exports.add(target + s * stride, bias, layer.columnStride);
}

/** Writes the sums over a leaf of the gradients by the weights and biases of a layer. */
function sumLeaf(
  exports: KernelExports,
  layer: LayerLayout,
  leaf: { sums: number; values: number; gradient: number; samples: number },
): void {
  const stride = 4 * layer.columnStride;
  const { samples, gradient } = leaf;
  exports.outerProduct(
    leaf.sums + 4 * layer.weightSums,
    stride,
    leaf.values,
    4 * layer.innerStride,
    gradient,
    stride,
    samples,
    layer.paddedInner,
    layer.paddedColumns,
    false,
  );
  const bias = leaf.sums + 4 * layer.biasSums;
  for (let s = 0; s < samples; s++) exports.add(bias, gradient + s * stride, layer.columnStride);
}

/** Multiplies the gradient by the outputs of a layer by its transposed weights. */
function pullBack(
  memory: NetworkMemory,
  layer: LayerLayout,
  { to, from, samples }: { to: number; from: number; samples: number },
): void {
  memory.exports.stripProduct(
    to,
    4 * layer.innerStride,
    from,
    4 * layer.columnStride,
    memory.address("transposedStrips") + 4 * layer.transposedStrips,
    paddedCount(samples),
    paddedCount(layer.columns),
    paddedDimension(layer.inner),
    memory.address("scratch"),
  );
}
