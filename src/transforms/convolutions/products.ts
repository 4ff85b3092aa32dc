/**
 * Convolution and its gradients as matrix products, one per tap. X_q holds the values of x at p +
 * q, one row per p:
 *
 *   Y = Σ_q X_q F_qᵀ        ∂L/∂F_q = Gᵀ X_q        ∂L/∂X = Σ_q G_{−q} F_q
 *
 *   symbol  variable      shape
 *   X, Y    values        P×C, P locations
 *   G       upstream      P×C: ∂L/∂Y
 *   F_q     weights       C×C, [out][in]
 *
 * Whole fields are periodic. Crops are not: only those p count for which all p + q are in the crop,
 * so the result is smaller.
 *
 * Cost: 2 P C² per tap and product. Products are always summed in Float64.
 */
import { expected } from "../../errors.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type Field, type FieldBatch, type GridSize, requireField } from "../field.js";
import { wrapped } from "./frequencies.js";

/** Computes y_p = Σ_q F_q x_{p+q}, periodically. */
export function applyConvolution(kernels: Kernels, given: Convolution, x: Field): Field {
  const convolution = requireConvolution(given);
  requireField(x, "the field", convolution.maps);
  const { width, height, maps } = x;
  const values = outputs(kernels, convolution, wholeFields(convolution, { ...x, count: 1 }));
  return { width, height, maps, values };
}

/** Computes y_p only where all p + q are in the field. Does not check its arguments. */
export function applyWithin(kernels: Kernels, convolution: Convolution, x: FieldBatch): FieldBatch {
  const places = insideFields(convolution, x);
  return { ...x, ...places.size, values: outputs(kernels, convolution, places) };
}

export interface ConvolutionGradients {
  /** ∂L/∂F, in the order of the weights. */
  readonly weights: FloatArray;
  /** ∂L/∂x */
  readonly x: Field;
}

/** Returns gradients of a loss of y with derivative `upstream`, without the log-determinant. */
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
  const places = wholeFields(convolution, { ...x, count: 1 });
  return {
    weights: weightGradient(kernels, convolution, places, upstream.values),
    x: transposedConvolution(kernels, convolution, upstream),
  };
}

/** Returns only ∂L/∂x, which does not depend on x. */
export function transposedConvolution(
  kernels: Kernels,
  given: Convolution,
  upstream: Field,
): Field {
  const convolution = requireConvolution(given);
  requireField(upstream, "upstream", convolution.maps);
  const places = wholeFields(convolution, { ...upstream, count: 1 });
  return { ...upstream, values: inputGradient(kernels, convolution, places, upstream.values) };
}

export interface InsideGradients {
  readonly weights: FloatArray;
  /** ∂L/∂x, or null if not requested. */
  readonly x: FloatArray | null;
}

/** Returns gradients of {@link applyWithin}; `upstream` has its locations. Checks nothing. */
export function gradientsWithin(
  kernels: Kernels,
  convolution: Convolution,
  x: FieldBatch,
  upstream: FloatArray,
  wantsInput: boolean,
): InsideGradients {
  const places = insideFields(convolution, x);
  return {
    weights: weightGradient(kernels, convolution, places, upstream),
    x: wantsInput ? inputGradient(kernels, convolution, places, upstream) : null,
  };
}

/** Locations of the result of a convolution, and the offsets of its taps. */
interface Places {
  readonly x: FieldBatch;
  /** Size of the result. */
  readonly size: GridSize;
  /** Offset in x of the first tap from location 0 of the result. */
  readonly left: number;
  readonly top: number;
}

function wholeFields({ taps: { left, top } }: Convolution, x: FieldBatch): Places {
  return { x, size: x, left, top };
}

function insideFields({ taps }: Convolution, x: FieldBatch): Places {
  const size = { width: x.width - taps.width + 1, height: x.height - taps.height + 1 };
  return { x, size, left: 0, top: 0 };
}

function locationsOf({ x: { count }, size: { width, height } }: Places): number {
  return count * width * height;
}

function weightGradient(
  kernels: Kernels,
  { maps, taps, weights }: Convolution,
  places: Places,
  upstream: FloatArray,
): FloatArray {
  const gradient = kernels.floats(weights.length);
  const moved = kernels.floats(upstream.length);
  const sizes = { rows: maps, inner: locationsOf(places), columns: maps };
  for (let tap = 0; tap < taps.width * taps.height; tap++) {
    moveFields(places.x, places.size, offsetOf(places, taps, tap), moved);
    const target = gradient.subarray(tap * maps * maps, (tap + 1) * maps * maps);
    kernels.accumulateProduct(upstream, moved, target, sizes);
  }
  return gradient;
}

/** Σ_q X_q F_qᵀ */
function outputs(
  kernels: Kernels,
  { maps, taps, weights }: Convolution,
  places: Places,
): FloatArray {
  const sizes = { rows: locationsOf(places), inner: maps, columns: maps };
  const moved = kernels.floats(sizes.rows * maps);
  const part = kernels.floats(moved.length);
  const total = new Float64Array(moved.length);
  for (let tap = 0; tap < taps.width * taps.height; tap++) {
    moveFields(places.x, places.size, offsetOf(places, taps, tap), moved);
    const tapWeights = weights.subarray(tap * maps * maps, (tap + 1) * maps * maps);
    kernels.multiply(moved, transposed(tapWeights, maps), part, sizes);
    for (let k = 0; k < total.length; k++) total[k] += part[k];
  }
  part.set(total);
  return part;
}

/** Σ_q G_{−q} F_q: each product is added at the location of its tap. */
function inputGradient(
  kernels: Kernels,
  { maps, taps, weights }: Convolution,
  places: Places,
  upstream: FloatArray,
): FloatArray {
  const part = kernels.floats(upstream.length);
  const total = new Float64Array(places.x.values.length);
  const sizes = { rows: locationsOf(places), inner: maps, columns: maps };
  for (let tap = 0; tap < taps.width * taps.height; tap++) {
    const tapWeights = weights.subarray(tap * maps * maps, (tap + 1) * maps * maps);
    kernels.multiply(upstream, tapWeights, part, sizes);
    addMoved(places.x, places.size, offsetOf(places, taps, tap), part, total);
  }
  const gradient = kernels.floats(total.length);
  gradient.set(total);
  return gradient;
}

interface Offset {
  readonly dx: number;
  readonly dy: number;
}

function offsetOf({ left, top }: Places, { width }: Convolution["taps"], tap: number): Offset {
  return { dx: left + (tap % width), dy: top + Math.floor(tap / width) };
}

/** moved_p = x_{p+q}, for the p of a possibly smaller grid; rows wrap round the edge. */
export function moveFields(
  { count, width, height, maps, values }: FieldBatch,
  size: GridSize,
  { dx, dy }: Offset,
  moved: FloatArray,
): void {
  const row = width * maps;
  const start = wrapped(dx, width) * maps;
  const length = size.width * maps;
  const first = Math.min(length, row - start);
  for (let field = 0, to = 0; field < count; field++) {
    for (let y = 0; y < size.height; y++, to += length) {
      const from = (field * height + wrapped(y + dy, height)) * row;
      moved.set(values.subarray(from + start, from + start + first), to);
      if (first < length) moved.set(values.subarray(from, from + length - first), to + first);
    }
  }
}

/** total_{p+q} += part_p, the adjoint of moveFields. */
function addMoved(
  { count, width, height, maps }: FieldBatch,
  size: GridSize,
  { dx, dy }: Offset,
  part: FloatArray,
  total: Float64Array,
): void {
  const row = width * maps;
  const start = wrapped(dx, width) * maps;
  const length = size.width * maps;
  for (let field = 0, from = 0; field < count; field++) {
    for (let y = 0; y < size.height; y++, from += length) {
      const to = (field * height + wrapped(y + dy, height)) * row;
      for (let k = 0, at = start; k < length; k++, at++) {
        if (at === row) at = 0;
        total[to + at] += part[from + k];
      }
    }
  }
}

function transposed(matrix: FloatArray, n: number): FloatArray {
  const result = matrix.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) result[j * n + i] = matrix[i * n + j];
  }
  return result;
}
