/** Checks of parameters and data at the public API; the code below it trusts them. */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";

export { checkFields } from "../errors.js";

const largestDimension = 4096;
export const largestFloat32 = 3.4028234663852886e38;

/** Requires at least one sample and finite values; returns the number of samples. */
export function checkSamples(x: FloatArray, dimension: number, name = "x"): number {
  const count = checkBatch(x, dimension, name);
  if (count === 0) throw expected(name, `hold at least one sample of ${dimension} values`, 0);
  return count;
}

/** Requires finite values in a batch, which may be empty; returns the number of samples. */
export function checkBatch(x: FloatArray, dimension: number, name = "x"): number {
  if (!(x instanceof Float32Array || x instanceof Float64Array)) {
    throw expected(name, "be a Float32Array or Float64Array", x);
  }
  if (x.length % dimension !== 0) {
    throw expected(name, `hold a whole number of samples of ${dimension} values`, x.length);
  }
  // A plain loop, because this runs on every batch of a fit.
  for (let k = 0; k < x.length; k++) {
    if (Math.abs(x[k]) <= largestFloat32) continue;
    const place = `${name}[${Math.floor(k / dimension)}][${k % dimension}]`;
    throw expected(place, finiteRule(x[k]), x[k]);
  }
  return x.length / dimension;
}

export function checkDimension(dimension: number, name = "dimension"): void {
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > largestDimension) {
    throw expected(name, `be an integer from 1 to ${largestDimension}`, dimension);
  }
}

/** Shape of a list or of an N×N matrix, which determines how messages name its entries. */
export interface ArrayShape {
  readonly length: number;
  /** Number of rows and columns of a matrix. */
  readonly matrix?: number;
}

/**
 * Copies a caller's values and requires them to be finite in Float32. A Float32Array stays one;
 * anything else becomes a Float64Array.
 */
export function finiteCopy(
  name: string,
  values: ArrayLike<number>,
  shape: ArrayShape,
): Float32Array | Float64Array {
  if (!isListOfNumbers(values)) throw expected(name, "be an array of numbers", values);
  if (values.length !== shape.length) {
    const n = shape.matrix;
    const noun = shape.length === 1 ? "value" : "values";
    const detail = n === undefined ? "" : ` (${n}×${n})`;
    throw expected(name, `hold ${shape.length} ${noun}${detail}`, values.length);
  }
  const copy = values instanceof Float32Array ? values.slice() : Float64Array.from(values);
  requireEach(name, copy, shape, (value) => Math.abs(value) <= largestFloat32, finiteRule);
  return copy;
}

/** Throws an error that names the first forbidden value and its place. */
export function requireEach(
  name: string,
  values: FloatArray,
  shape: ArrayShape,
  isAllowed: (value: number, index: number) => boolean,
  rule: string | ((value: number, index: number) => string),
): void {
  for (let k = 0; k < values.length; k++) {
    if (isAllowed(values[k], k)) continue;
    const text = typeof rule === "string" ? rule : rule(values[k], k);
    throw expected(entryName(name, k, shape), text, values[k]);
  }
}

export function entryName(name: string, index: number, { matrix: n }: ArrayShape): string {
  return n === undefined ? `${name}[${index}]` : `${name}[${Math.floor(index / n)}][${index % n}]`;
}

function isListOfNumbers(values: unknown): values is ArrayLike<number> {
  return Array.isArray(values) || (ArrayBuffer.isView(values) && !(values instanceof DataView));
}

function finiteRule(value: number): string {
  return Number.isFinite(value)
    ? `lie within ±${largestFloat32}, the range of Float32`
    : "be finite";
}

/**
 * Requires a non-singular matrix: eliminates in Float64 with row pivoting, on rows scaled to a
 * largest entry of 1. A pivot as small as the accumulated rounding error counts as 0.
 */
export function requireNonSingular(name: string, matrix: FloatArray, n: number): void {
  const a = Float64Array.from(matrix);
  for (let i = 0; i < n; i++) {
    const row = a.subarray(i * n, (i + 1) * n);
    const largest = row.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
    for (let j = 0; j < n; j++) row[j] /= largest || 1;
  }
  for (let p = 0; p < n; p++) {
    let best = p;
    for (let i = p + 1; i < n; i++) {
      if (Math.abs(a[i * n + p]) > Math.abs(a[best * n + p])) best = i;
    }
    const pivot = a[best * n + p];
    if (!(Math.abs(pivot) > n * n * Number.EPSILON)) {
      const rule = `be non-singular (column ${p} must not depend on the columns before it)`;
      throw expected(name, rule, `a pivot of ${pivot}`);
    }
    for (let j = p; j < n; j++) {
      [a[p * n + j], a[best * n + j]] = [a[best * n + j], a[p * n + j]];
    }
    for (let i = p + 1; i < n; i++) {
      const factor = a[i * n + p] / pivot;
      for (let j = p; j < n; j++) a[i * n + j] -= factor * a[p * n + j];
    }
  }
}

/**
 * Type of records whose parameters have been checked. Only constructors return them. Because a
 * spread does not copy accessors, `{ ...record }` loses the mark and is checked again. The accessor
 * exists in types only; the records stay plain.
 */
export declare abstract class Checked {
  abstract get "checked by a constructor"(): true;
}

/** Record without the mark of its constructor, which a caller may have changed. */
export type Unchecked<T> = T extends unknown
  ? {
      [K in keyof T as Exclude<K, keyof Checked>]: T[K] extends readonly (infer S extends Checked)[]
        ? readonly Unchecked<S>[]
        : T[K];
    }
  : never;

/** Run-time version of the mark, for callers without types. */
const checkedRecords = new WeakSet();

/**
 * Marks a record as checked. For constructors, and for records from another thread, which lose the
 * mark in the message.
 */
export function trusted<T extends Checked>(record: Unchecked<T>): T {
  checkedRecords.add(record);
  return record as unknown as T;
}

export function isChecked(record: object): boolean {
  return checkedRecords.has(record);
}
