/**
 * Lines of a two-dimensional array, eight at a time: copied side by side into a block, transformed
 * there, and copied back. Eight neighbouring columns share one cache line.
 */
import { type ComplexArray, complexArray } from "./complex-array.js";
import { fourierTransform } from "./fourier-transform.js";

/** Lines in a block. */
export const lanes = 8;

export interface LineBlock {
  /** Value j of line q is at index j · lanes + q. */
  readonly values: ComplexArray;
  forward(): void;
  /** Inverse transform without the factor 1/n. */
  backward(): void;
}

export function lineBlock(length: number): LineBlock {
  const values = complexArray(length * lanes);
  const swapped = { real: values.imaginary, imaginary: values.real };
  const transform = fourierTransform(length, lanes);
  return {
    values,
    forward() {
      transform(values);
    },
    backward() {
      transform(swapped);
    },
  };
}

/** Transforms all columns of an array in place. */
export function transformColumns(
  array: ComplexArray,
  columns: number,
  block: LineBlock,
  transform: "forward" | "backward",
): void {
  for (let first = 0; first < columns; first += lanes) {
    const count = Math.min(lanes, columns - first);
    copyColumns(array.real, first, columns, count, block.values.real);
    copyColumns(array.imaginary, first, columns, count, block.values.imaginary);
    block[transform]();
    copyBack(block.values.real, array.real, first, columns, count);
    copyBack(block.values.imaginary, array.imaginary, first, columns, count);
  }
}

function copyColumns(
  from: Float64Array,
  first: number,
  columns: number,
  count: number,
  to: Float64Array,
): void {
  for (let at = first, place = 0; place < to.length; at += columns, place += lanes) {
    for (let q = 0; q < count; q++) to[place + q] = from[at + q];
  }
}

function copyBack(
  from: Float64Array,
  to: Float64Array,
  first: number,
  columns: number,
  count: number,
): void {
  for (let at = first, place = 0; place < from.length; at += columns, place += lanes) {
    for (let q = 0; q < count; q++) to[at + q] = from[place + q];
  }
}
