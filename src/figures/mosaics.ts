/** Grey pictures of numbers: mosaics of patches, matrices, pictures in a row. */
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { linearToSrgb } from "../images/luminance.js";
import type { FloatArray } from "../kernels/kernels.js";

export interface MosaicOptions {
  /** Side of a patch in pixels. */
  readonly size: number;
  /** Height of a patch, by default its width. */
  readonly height?: number;
  readonly columns: number;
  /** Each pixel of a patch becomes zoom×zoom pixels. */
  readonly zoom?: number;
  /** "each": every patch uses the full range of greys around 0; "all": one range for all. */
  readonly scale?: "each" | "all";
  /** Values shown as black and as white for all patches; together they replace `scale`. */
  readonly black?: number | undefined;
  readonly white?: number | undefined;
  /** Grey of the lines between patches, default 1 (white). */
  readonly lines?: number;
}

/** Returns patches side by side in greys from 0 to 1, with lines between them. */
export function patchMosaic(patches: ArrayLike<number>, options: MosaicOptions): GreyImage {
  const { size, columns, zoom = 1, lines = 1, height: rows = size } = options;
  for (const [name, value] of Object.entries({ size, height: rows, columns, zoom })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  const area = size * rows;
  if (patches.length === 0 || patches.length % area !== 0) {
    throw expected("patches", `hold a whole number of patches of ${area} values`, patches.length);
  }
  const count = patches.length / area;
  const [across, down] = [size * zoom + 1, rows * zoom + 1];
  const [width, height] = [columns * across + 1, Math.ceil(count / columns) * down + 1];
  const pixels = new Float32Array(width * height).fill(lines);
  const greysOf = displayRange(patches, area, options);
  for (let p = 0; p < count; p++) {
    const { black, white } = greysOf(p);
    const [top, left] = [1 + Math.floor(p / columns) * down, 1 + (p % columns) * across];
    for (let row = 0; row < rows * zoom; row++) {
      for (let column = 0; column < size * zoom; column++) {
        const k = p * area + Math.floor(row / zoom) * size + Math.floor(column / zoom);
        pixels[(top + row) * width + left + column] = (patches[k] - black) / (white - black);
      }
    }
  }
  return { width, height, pixels };
}

/** The values of patch p that become black and white; symmetric around 0 by default. */
function displayRange(
  patches: ArrayLike<number>,
  area: number,
  { scale = "each", black, white }: MosaicOptions,
): (p: number) => { black: number; white: number } {
  if (black !== undefined && white !== undefined) return () => ({ black, white });
  const around = (range: number) => ({ black: -(range || 1), white: range || 1 });
  const overall = around(largest(patches, 0, patches.length));
  return (p) => (scale === "all" ? overall : around(largest(patches, p * area, (p + 1) * area)));
}

function largest(values: ArrayLike<number>, from: number, to: number): number {
  let size = 0;
  for (let k = from; k < to; k++) size = Math.max(size, Math.abs(values[k]));
  return size;
}

/** Places pictures in a row on white, aligned at the top. */
export function sideBySide(pictures: readonly GreyImage[], gap = 8): GreyImage {
  const width = pictures.reduce((sum, picture) => sum + picture.width + gap, -gap);
  const height = pictures.reduce((most, picture) => Math.max(most, picture.height), 0);
  const pixels = new Float32Array(width * height).fill(1);
  let left = 0;
  for (const picture of pictures) {
    for (let row = 0; row < picture.height; row++) {
      const source = picture.pixels.subarray(row * picture.width, (row + 1) * picture.width);
      pixels.set(source, row * width + left);
    }
    left += picture.width + gap;
  }
  return { width, height, pixels };
}

/** Reorders the rows of a matrix, for example by `filterOrder`. */
export function rowsInOrder(
  rows: FloatArray,
  order: readonly number[],
  length: number,
): Float32Array {
  const sorted = new Float32Array(order.length * length);
  order.forEach((row, k) => {
    sorted.set(rows.subarray(row * length, (row + 1) * length), k * length);
  });
  return sorted;
}

/** Reorders the rows and the columns of a square matrix. */
export function matrixInOrder(matrix: FloatArray, order: readonly number[]): Float64Array {
  const n = order.length;
  return Float64Array.from(
    { length: n * n },
    (_, k) => matrix[order[Math.floor(k / n)] * n + order[k % n]],
  );
}

/**
 * Draws an N×N matrix of non-negative weights: 0 is white, the largest is black. Greys are square
 * roots, so that small weights are visible.
 */
export function matrixImage(matrix: ArrayLike<number>, n: number, zoom = 1): GreyImage {
  if (matrix.length !== n * n) throw expected("the matrix", `hold ${n * n} values`, matrix.length);
  const most = largest(matrix, 0, matrix.length) || 1;
  const side = n * zoom;
  const pixels = new Float32Array(side * side);
  for (let row = 0; row < side; row++) {
    const i = Math.floor(row / zoom);
    for (let column = 0; column < side; column++) {
      const weight = matrix[i * n + Math.floor(column / zoom)];
      pixels[row * side + column] = 1 - Math.sqrt(weight / most);
    }
  }
  return { width: side, height: side, pixels };
}

/** Encodes linear light as sRGB, clamped to black and white. */
export function asDisplayed(values: FloatArray): Float32Array {
  return Float32Array.from(values, (value) => linearToSrgb(Math.min(1, Math.max(0, value))));
}
