import type {
  FloatArray,
  NetworkGradientResults,
  NetworkKernel,
  NetworkLayer,
  NetworkShape,
} from "../kernels.js";
import { accumulateProduct, multiply } from "./matrix.js";

/** Network in Float64. The sums over samples need no leaves: all is computed in one thread. */
export function referenceNetwork({ widths }: NetworkShape): NetworkKernel {
  return new ReferenceNetwork(widths);
}

class ReferenceNetwork implements NetworkKernel {
  private layers: readonly NetworkLayer[] = [];

  constructor(private readonly widths: readonly number[]) {}

  load(layers: readonly NetworkLayer[]): void {
    this.layers = layers.map(({ weights, bias }) => ({
      weights: Float64Array.from(weights),
      bias: Float64Array.from(bias),
    }));
  }

  /** Holds the inputs of the layers, one layer after the other. */
  activations(count: number): Float64Array {
    return new Float64Array(
      count * this.widths.slice(0, -1).reduce((sum, width) => sum + width, 0),
    );
  }

  forward(x: FloatArray, count: number, outputs: FloatArray, activations: FloatArray | null): void {
    const inputs = this.inputsIn(activations ?? this.activations(count), count);
    inputs[0].set(x.subarray(0, inputs[0].length));
    this.layers.forEach(({ weights, bias }, k) => {
      const isLast = k === this.layers.length - 1;
      const next = isLast ? outputs : inputs[k + 1];
      const [inner, columns] = this.widths.slice(k, k + 2);
      multiply(inputs[k], weights, next, { rows: count, inner, columns });
      for (let i = 0; i < count * columns; i++) {
        const u = next[i] + bias[i % columns];
        next[i] = isLast ? u : rectified(u);
      }
    });
  }

  backpropagate(
    activations: FloatArray,
    outputGradient: FloatArray,
    failedPivot: Int32Array,
    { xGradient, sums }: NetworkGradientResults,
  ): void {
    const count = failedPivot.length;
    const inputs = this.inputsIn(activations, count).map((values, k) =>
      values.map((value, i) => (failedPivot[Math.floor(i / this.widths[k])] < 0 ? value : 0)),
    );
    let gradient = outputGradient;
    for (let k = this.layers.length - 1; k >= 0; k--) {
      const [inner, columns] = this.widths.slice(k, k + 2);
      if (sums) {
        sums[k].weights.fill(0);
        sums[k].bias.fill(0);
        const sizes = { rows: inner, inner: count, columns };
        accumulateProduct(inputs[k], gradient, sums[k].weights, sizes);
        gradient.forEach((value, i) => (sums[k].bias[i % columns] += value));
      }
      const next = new Float64Array(count * inner);
      const { weights } = this.layers[k];
      const sizes = { rows: count, inner: columns, columns: inner };
      multiply(gradient, transposed(weights, inner, columns), next, sizes);
      gradient = k > 0 ? next.map((value, i) => value * slopeAt(inputs[k][i])) : next;
    }
    xGradient?.set(gradient);
  }

  private inputsIn(activations: FloatArray, count: number): readonly FloatArray[] {
    let first = 0;
    return this.widths.slice(0, -1).map((width) => {
      first += count * width;
      return activations.subarray(first - count * width, first);
    });
  }
}

/** φ(u) = (u + √(1 + u²)) / 2. Below 0, where that sum loses digits, φ(u) = 1 / (4 φ(−u)). */
function rectified(u: number): number {
  const size = Math.abs(u) + Math.sqrt(1 + u * u);
  return u < 0 ? 0.5 / size : size / 2;
}

/**
 * φ′(u) = φ / √(1 + u²) as a function of φ: since √(1 + u²) = φ + 1 / (4φ), it is 4φ² / (4φ² + 1).
 */
function slopeAt(value: number): number {
  const q = Math.min(4 * value * value, 1e30);
  return q / (q + 1);
}

function transposed(matrix: FloatArray, rows: number, columns: number): Float64Array {
  const out = new Float64Array(matrix.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) out[j * rows + i] = matrix[i * columns + j];
  }
  return out;
}
