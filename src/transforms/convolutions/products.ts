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
 * Only those p count for which all p + q are in the field, so the result is smaller. Whole fields
 * are periodic: they are padded with values from the opposite edge first ({@link bandFor}).
 *
 * Cost: 2 P C² per tap and product. The sums over taps are in Float64.
 */
import { addTo } from "../../kernels/float-arrays.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { foldTree } from "../../kernels/reduction-tree.js";
import type { Convolution } from "../convolution.js";
import type { FieldBatch, GridSize } from "../field.js";
import { wrapped } from "./frequencies.js";

/** Filters of a convolution, whether or not they were checked. */
export type Filters = Pick<Convolution, "maps" | "taps" | "weights">;

/** Computes y_p = Σ_q F_q x_{p+q} where all p + q are in the field. */
export function applyWithin(
  kernels: Kernels,
  { maps, taps, weights }: Filters,
  x: FieldBatch,
): FieldBatch {
  const size = sizeWithin(taps, x);
  const sizes = { rows: x.count * size.width * size.height, inner: maps, columns: maps };
  const moved = kernels.floats(sizes.rows * maps);
  const part = kernels.floats(moved.length);
  const total = new Float64Array(moved.length);
  for (let tap = 0; tap < taps.width * taps.height; tap++) {
    moveFields(x, size, offsetOf(taps, tap), moved);
    kernels.multiply(moved, transposed(matrixOf(weights, maps, tap), maps), part, sizes);
    addTo(total, part);
  }
  part.set(total);
  return { ...x, ...size, values: part };
}

/** Consecutive taps of a convolution, with their weights only. */
export interface TapRange extends Filters {
  readonly first: number;
  readonly count: number;
}

export interface TapGradients {
  /** ∂L/∂F_q for the taps of the range. */
  readonly weights: FloatArray;
  /** Contribution of these taps to ∂L/∂x, summed along the tree of taps; null if not requested. */
  readonly x: Float64Array | null;
}

/** Returns gradients of {@link applyWithin} for some taps; `upstream` has its locations. */
export function gradientsWithin(
  kernels: Kernels,
  range: TapRange,
  x: FieldBatch,
  upstream: FloatArray,
  wantsInput: boolean,
): TapGradients {
  return {
    weights: weightGradient(kernels, range, x, upstream),
    x: wantsInput ? inputGradient(kernels, range, x, upstream) : null,
  };
}

/** Gᵀ X_q for each tap. */
function weightGradient(
  kernels: Kernels,
  { maps, taps, first, count }: TapRange,
  x: FieldBatch,
  upstream: FloatArray,
): FloatArray {
  const gradient = kernels.floats(count * maps * maps);
  const moved = kernels.floats(upstream.length);
  const sizes = { rows: maps, inner: upstream.length / maps, columns: maps };
  const size = sizeWithin(taps, x);
  for (let tap = 0; tap < count; tap++) {
    moveFields(x, size, offsetOf(taps, first + tap), moved);
    kernels.accumulateProduct(upstream, moved, matrixOf(gradient, maps, tap), sizes);
  }
  return gradient;
}

/** Σ_q G_{−q} F_q: each product is added at the location of its tap. */
function inputGradient(
  kernels: Kernels,
  { maps, taps, weights, first, count }: TapRange,
  x: FieldBatch,
  upstream: FloatArray,
): Float64Array {
  const part = kernels.floats(upstream.length);
  const sizes = { rows: upstream.length / maps, inner: maps, columns: maps };
  const size = sizeWithin(taps, x);
  const slots: Float64Array[] = [];
  foldTree(
    count,
    (level, tap) => {
      if (level === slots.length) slots.push(new Float64Array(x.values.length));
      else slots[level].fill(0);
      kernels.multiply(upstream, matrixOf(weights, maps, tap), part, sizes);
      addMoved(x, size, offsetOf(taps, first + tap), part, slots[level]);
    },
    (target) => addTo(slots[target], slots[target + 1]),
  );
  return slots[0];
}

/** Returns the number of locations at which all taps are inside. */
export function sizeWithin(taps: GridSize, { width, height }: GridSize): GridSize {
  return { width: width - taps.width + 1, height: height - taps.height + 1 };
}

/** Rows of a field. */
export interface Rows {
  readonly first: number;
  readonly end: number;
}

/** Treatment of edges: of whole fields, opposite ones are joined; those of crops are not. */
export type Edges = "joined" | "within";

/**
 * Returns the values that some rows of the output of a convolution depend on: {@link applyWithin}
 * of them gives these rows.
 */
export function bandFor(
  { taps }: Pick<Filters, "taps">,
  x: FieldBatch,
  rows: Rows,
  edges: Edges,
): FieldBatch {
  const isJoined = edges === "joined";
  const width = x.width + (isJoined ? taps.width - 1 : 0);
  const height = rows.end - rows.first + taps.height - 1;
  const length = x.count * width * height * x.maps;
  const values =
    x.values instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
  const [dx, dy] = isJoined ? [taps.left, taps.top] : [0, 0];
  moveFields(x, { width, height }, { dx, dy: dy + rows.first }, values);
  return { ...x, width, height, values };
}

/** Returns the filters of the transposed map, x̄_p = Σ_q F_qᵀ ḡ_{p−q}, for periodic fields. */
export function adjointFilters({ maps, taps, weights }: Filters): Filters {
  const { width, height, left, top } = taps;
  const count = width * height;
  const turned = weights.slice();
  for (let tap = 0; tap < count; tap++) {
    const matrix = transposed(matrixOf(weights, maps, tap), maps);
    turned.set(matrix, (count - 1 - tap) * maps * maps);
  }
  return {
    maps,
    taps: { width, height, left: 1 - width - left, top: 1 - height - top },
    weights: turned,
  };
}

function matrixOf(weights: FloatArray, maps: number, tap: number): FloatArray {
  return weights.subarray(tap * maps * maps, (tap + 1) * maps * maps);
}

interface Offset {
  readonly dx: number;
  readonly dy: number;
}

/** Returns the offset of a tap from the first one. */
function offsetOf({ width }: GridSize, tap: number): Offset {
  return { dx: tap % width, dy: Math.floor(tap / width) };
}

/** moved_p = x_{p+q}, for the p of a smaller or larger grid; opposite edges are joined. */
export function moveFields(
  { count, width, height, maps, values }: FieldBatch,
  size: GridSize,
  { dx, dy }: Offset,
  moved: FloatArray,
): void {
  const row = width * maps;
  const length = size.width * maps;
  for (let field = 0, to = 0; field < count; field++) {
    for (let y = 0; y < size.height; y++, to += length) {
      const from = (field * height + wrapped(y + dy, height)) * row;
      let start = wrapped(dx, width) * maps;
      for (let done = 0; done < length; start = 0) {
        const part = Math.min(length - done, row - start);
        moved.set(values.subarray(from + start, from + start + part), to + done);
        done += part;
      }
    }
  }
}

/** total_{p+q} += part_p, the adjoint of moveFields for offsets within the field. */
function addMoved(
  { count, width, height, maps }: FieldBatch,
  size: GridSize,
  { dx, dy }: Offset,
  part: FloatArray,
  total: Float64Array,
): void {
  const length = size.width * maps;
  for (let field = 0, from = 0; field < count; field++) {
    for (let y = 0; y < size.height; y++, from += length) {
      const to = ((field * height + y + dy) * width + dx) * maps;
      for (let k = 0; k < length; k++) total[to + k] += part[from + k];
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
