/**
 * A convolution and its gradients as matrix products, one for each tap. X_q are the values of x at p + q, a row for each p:
 *
 *   Y = Σ_q X_q F_qᵀ        ∂L/∂F_q = Gᵀ X_q        ∂L/∂X = Σ_q G_{−q} F_q
 *
 *   symbol  variable      shape
 *   X, Y    values        P×C, P locations
 *   G       upstream      P×C: ∂L/∂Y
 *   F_q     weights       C×C, [out][in]
 *
 * Cost: 2 P C² for each tap and product. Products are added up in Float64 whatever the kernels.
 */
import { expected } from "../../errors.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type Field, requireField } from "../field.js";
import { wrapped } from "./frequencies.js";

/** y_p = Σ_q F_q x_{p+q}, periodic. */
export function applyConvolution(kernels: Kernels, given: Convolution, x: Field): Field {
  const convolution = requireConvolution(given);
  requireField(x, "the field", convolution.maps);
  return sumOverTaps(kernels, convolution, x, 1, transposed);
}

export interface ConvolutionGradients {
  /** ∂L/∂F, in the order of the weights. */
  readonly weights: FloatArray;
  /** ∂L/∂x */
  readonly x: Field;
}

/** Gradients of a loss of y, whose derivative by y is `upstream`; the log-determinant has no part in them. */
export function convolutionGradients(
  kernels: Kernels,
  given: Convolution,
  x: Field,
  upstream: Field,
): ConvolutionGradients {
  const convolution = requireConvolution(given);
  const { maps } = convolution;
  requireField(x, "the field", maps);
  requireField(upstream, "upstream", maps);
  if (upstream.width !== x.width || upstream.height !== x.height) {
    const size = `${upstream.width}×${upstream.height}`;
    throw expected("upstream", `have the ${x.width}×${x.height} locations of the field`, size);
  }
  return {
    weights: weightGradient(kernels, convolution, x, upstream),
    x: transposedConvolution(kernels, convolution, upstream),
  };
}

/** ∂L/∂x alone, which needs no x. */
export function transposedConvolution(
  kernels: Kernels,
  given: Convolution,
  upstream: Field,
): Field {
  const convolution = requireConvolution(given);
  requireField(upstream, "upstream", convolution.maps);
  return sumOverTaps(kernels, convolution, upstream, -1, (weights) => weights);
}

function weightGradient(
  kernels: Kernels,
  { maps, taps, weights }: Convolution,
  x: Field,
  upstream: Field,
): FloatArray {
  const gradient = kernels.floats(weights.length);
  const moved = kernels.floats(x.values.length);
  const sizes = { rows: maps, inner: x.width * x.height, columns: maps };
  for (let tap = 0; tap < taps.width * taps.height; tap++) {
    moveField(x, offsetOf(taps, tap, 1), moved);
    const target = gradient.subarray(tap * maps * maps, (tap + 1) * maps * maps);
    kernels.accumulateProduct(upstream.values, moved, target, sizes);
  }
  return gradient;
}

/** Σ_q (x at p ± q) · matrix(F_q), for rows x_p. */
function sumOverTaps(
  kernels: Kernels,
  { maps, taps, weights }: Convolution,
  x: Field,
  sign: 1 | -1,
  matrixOf: (weights: FloatArray, maps: number) => FloatArray,
): Field {
  const { length } = x.values;
  const moved = kernels.floats(length);
  const part = kernels.floats(length);
  const total = new Float64Array(length);
  const sizes = { rows: x.width * x.height, inner: maps, columns: maps };
  for (let tap = 0; tap < taps.width * taps.height; tap++) {
    moveField(x, offsetOf(taps, tap, sign), moved);
    const ofTap = weights.subarray(tap * maps * maps, (tap + 1) * maps * maps);
    kernels.multiply(moved, matrixOf(ofTap, maps), part, sizes);
    for (let k = 0; k < length; k++) total[k] += part[k];
  }
  // The last product has been added, so its array is free.
  part.set(total);
  return { width: x.width, height: x.height, maps, values: part };
}

interface Offset {
  readonly dx: number;
  readonly dy: number;
}

function offsetOf({ width, left, top }: Convolution["taps"], tap: number, sign: 1 | -1): Offset {
  return { dx: sign * (left + (tap % width)), dy: sign * (top + Math.floor(tap / width)) };
}

/** moved_p = x_{p+q}: rows are copied in two runs, since the edges are joined. */
function moveField(field: Field, { dx, dy }: Offset, moved: FloatArray): void {
  const { width, height, maps, values } = field;
  const row = width * maps;
  const shift = wrapped(dx, width) * maps;
  for (let y = 0; y < height; y++) {
    const from = wrapped(y + dy, height) * row;
    moved.set(values.subarray(from + shift, from + row), y * row);
    moved.set(values.subarray(from, from + shift), (y + 1) * row - shift);
  }
}

function transposed(matrix: FloatArray, n: number): FloatArray {
  const result = matrix.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) result[j * n + i] = matrix[i * n + j];
  }
  return result;
}
