/**
 * Two small filters for edges: a smooth difference along one axis, an average along the other. A
 * response is the sum over the pixels under the filter, each times its weight.
 */
import type { GreyImage } from "../../../src/images/grey-image.js";

/** Side of a filter in pixels. */
export const filterSide = 5;
const middle = 2;
const difference = [-1, -2, 0, 2, 1].map((value) => value / 8);
const average = [1, 4, 6, 4, 1].map((value) => value / 16);

/** Weights of both filters, row by row: vertical edges, and horizontal edges. */
export const filters: readonly (readonly number[])[] = [
  weights((row, column) => average[row] * difference[column]),
  weights((row, column) => difference[row] * average[column]),
];

function weights(of: (row: number, column: number) => number): readonly number[] {
  return Array.from({ length: filterSide * filterSide }, (_, k) =>
    of(Math.floor(k / filterSide), k % filterSide),
  );
}

/** Responses of both filters around the pixels that have room for them. */
export interface Responses {
  /** Number of places in a row, and number of rows. */
  readonly columns: number;
  readonly rows: number;
  /** rows×columns×2, with a standard deviation of 1 for each filter. */
  readonly pairs: Float32Array;
}

export function responsesOf({ width, height, pixels }: GreyImage): Responses {
  const [columns, rows] = [width - 2 * middle, height - 2 * middle];
  const sums = new Float64Array(2 * rows * columns);
  for (let place = 0; place < rows * columns; place++) {
    const corner = Math.floor(place / columns) * width + (place % columns);
    filters.forEach((filter, i) => {
      let sum = 0;
      for (let k = 0; k < filter.length; k++) {
        sum += filter[k] * pixels[corner + Math.floor(k / filterSide) * width + (k % filterSide)];
      }
      sums[2 * place + i] = sum;
    });
  }
  const deviations = filters.map((_, i) => deviationOf(sums, i));
  return { columns, rows, pairs: Float32Array.from(sums, (sum, k) => sum / deviations[k % 2]) };
}

/** Responses have a mean near 0, because the weights add up to 0. */
function deviationOf(sums: Float64Array, i: number): number {
  let squares = 0;
  for (let k = i; k < sums.length; k += 2) squares += sums[k] * sums[k];
  return Math.sqrt((2 * squares) / sums.length);
}

/** Returns the index of the place nearest to a place of the picture, given from 0 to 1. */
export function placeIn(
  { columns, rows }: Responses,
  { x, y }: { readonly x: number; readonly y: number },
): { readonly column: number; readonly row: number } {
  const at = (part: number, count: number): number =>
    Math.min(count - 1, Math.max(0, Math.round(part * (count + 2 * middle) - middle - 0.5)));
  return { column: at(x, columns), row: at(y, rows) };
}
