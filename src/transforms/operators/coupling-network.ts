/**
 * The network of a coupling (coupling.ts): products of a batch with its weights, and gradients.
 *
 *   a_1 = φ(a_0 U + c),   a_2 = φ(a_1 V + d),   (m, t) = a_2 W + e
 *
 * With G_k the gradient by the argument of layer k, those by its weights and biases are a_kᵀ G_k
 * and the column sums of G_k, and the gradient by a_k is G_k times the transposed weights.
 */
import { addTo } from "../../kernels/float-arrays.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { foldTree } from "../../kernels/reduction-tree.js";
import { type Coupling, couplingShapes } from "../coupling.js";
import type { ParameterGroups } from "../stage-kind.js";

const layers = [
  { weights: "inputWeights", bias: "inputBias" },
  { weights: "hiddenWeights", bias: "hiddenBias" },
  { weights: "outputWeights", bias: "outputBias" },
] as const;

/** Values of a forward pass that the backward pass needs; each has one row per sample. */
export interface Activations {
  /** a_0, a_1, a_2 */
  readonly inputs: readonly FloatArray[];
  /** φ′ at the arguments of layers 0 and 1. */
  readonly slopes: readonly FloatArray[];
  /** (m, t), count×2b */
  readonly outputs: FloatArray;
}

/** Gradient by the output of a layer, or sums of it. */
interface Layer {
  readonly weights: FloatArray;
  readonly bias: FloatArray;
}

export class CouplingNetwork {
  private readonly shapes;
  /** Transposed weights of each layer, computed on first use. */
  private transposed: readonly FloatArray[] | undefined;

  constructor(
    private readonly kernels: Kernels,
    private stage: Coupling,
    private readonly leafSize: number,
  ) {
    this.shapes = couplingShapes(stage);
  }

  /** Takes the parameters of a coupling of the same shape. */
  load(stage: Coupling): void {
    this.stage = stage;
    this.transposed = undefined;
  }

  /** Computes (m, t) of `count` samples, given their kept components, count×a. */
  forward(kept: FloatArray, count: number): Activations {
    const { kernels, stage } = this;
    const inputs: FloatArray[] = [];
    const slopes: FloatArray[] = [];
    let values = kept;
    for (const { weights, bias } of layers) {
      if (inputs.length > 0) slopes.push(rectify(values, kernels.floats(values.length)));
      inputs.push(values);
      const [inner, columns] = this.shapes[weights];
      const next = kernels.floats(count * columns);
      kernels.multiply(values, stage[weights], next, { rows: count, inner, columns });
      addToRows(next, stage[bias]);
      values = next;
    }
    return { inputs, slopes, outputs: values };
  }

  /**
   * Fills the sums of the gradients over the samples, if given. Returns the gradient by the kept
   * components, given the one by (m, t); null unless it is wanted.
   */
  backward(
    { inputs, slopes }: Activations,
    outputGradient: FloatArray,
    count: number,
    sums: ParameterGroups | null,
    wantsGradient: boolean,
  ): FloatArray | null {
    let gradient = outputGradient;
    for (let l = layers.length - 1; l >= 0; l--) {
      const { weights, bias } = layers[l];
      const [inner, columns] = this.shapes[weights];
      if (sums) {
        this.sumOverSamples(inputs[l], gradient, { weights: sums[weights], bias: sums[bias] });
      }
      if (l === 0 && !wantsGradient) return null;
      const next = this.kernels.floats(count * inner);
      const sizes = { rows: count, inner: columns, columns: inner };
      this.kernels.multiply(gradient, this.transposedWeights[l], next, sizes);
      if (l > 0) multiplyBy(next, slopes[l - 1]);
      gradient = next;
    }
    return gradient;
  }

  private get transposedWeights(): readonly FloatArray[] {
    this.transposed ??= layers.map(({ weights }) => {
      const [rows, columns] = this.shapes[weights];
      const source = this.stage[weights];
      const target = this.kernels.floats(source.length);
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < columns; j++) target[j * rows + i] = source[i * columns + j];
      }
      return target;
    });
    return this.transposed;
  }

  /** Sums inputᵀ·gradient, and gradient, over the samples: leaf by leaf along the tree. */
  private sumOverSamples(input: FloatArray, gradient: FloatArray, totals: Layer): void {
    const { kernels, leafSize } = this;
    const columns = totals.bias.length;
    const rows = totals.weights.length / columns;
    const count = gradient.length / columns;
    const slots: Layer[] = [totals];
    foldTree(
      Math.ceil(count / leafSize),
      (level, leaf) => {
        slots[level] ??= { weights: kernels.floats(rows * columns), bias: kernels.floats(columns) };
        const { weights, bias } = slots[level];
        const first = leaf * leafSize;
        const end = Math.min(count, first + leafSize);
        const own = gradient.subarray(first * columns, end * columns);
        const sizes = { rows, inner: end - first, columns };
        weights.fill(0);
        kernels.accumulateProduct(input.subarray(first * rows, end * rows), own, weights, sizes);
        sumRows(own, bias);
      },
      (target) => {
        addTo(slots[target].weights, slots[target + 1].weights);
        addTo(slots[target].bias, slots[target + 1].bias);
      },
    );
  }
}

/**
 * Sets the values of failed samples to 0. The gradients by their outputs are 0, but 0 times a value
 * that is not finite is NaN, and the sums over all samples would contain it.
 */
export function clearFailed({ inputs, slopes }: Activations, failedPivot: Int32Array): void {
  const count = failedPivot.length;
  failedPivot.forEach((pivot, s) => {
    if (pivot < 0) return;
    for (const values of [...inputs, ...slopes]) {
      const columns = values.length / count;
      values.fill(0, s * columns, (s + 1) * columns);
    }
  });
}

/**
 * Replaces each u by φ(u) = (u + √(1 + u²)) / 2; returns φ′(u) = φ(u) / √(1 + u²) in `slopes`.
 * Below 0, where that sum loses digits, φ(u) = 1 / (2 (√(1 + u²) − u)) is the same.
 */
function rectify(values: FloatArray, slopes: FloatArray): FloatArray {
  for (let k = 0; k < values.length; k++) {
    const u = values[k];
    const root = Math.sqrt(1 + u * u);
    const value = u < 0 ? 0.5 / (root - u) : (u + root) / 2;
    values[k] = value;
    slopes[k] = value / root;
  }
  return slopes;
}

function multiplyBy(values: FloatArray, factors: FloatArray): void {
  for (let k = 0; k < values.length; k++) values[k] *= factors[k];
}

function addToRows(values: FloatArray, row: FloatArray): void {
  for (let first = 0; first < values.length; first += row.length) {
    for (let j = 0; j < row.length; j++) values[first + j] += row[j];
  }
}

function sumRows(values: FloatArray, sums: FloatArray): void {
  sums.fill(0);
  const columns = sums.length;
  for (let first = 0; first < values.length; first += columns) {
    for (let j = 0; j < columns; j++) sums[j] += values[first + j];
  }
}
