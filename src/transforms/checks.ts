/**
 * What the border of the library has in common: parameters and data are checked there once, and
 * trusted below.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";

export { checkFields } from "../errors.js";

const largestDimension = 4096;
export const largestFloat32 = 3.4028234663852886e38;

/** Checks samples: at least one, all values finite. Returns how many samples. */
export function checkSamples(x: FloatArray, dimension: number, name = "x"): number {
  const count = checkBatch(x, dimension, name);
  if (count === 0) throw expected(name, `hold at least one sample of ${dimension} values`, 0);
  return count;
}

/**
 * Checks a batch, which may be empty: functions of each sample alone return nothing for nothing.
 */
export function checkBatch(x: FloatArray, dimension: number, name = "x"): number {
  if (!(x instanceof Float32Array || x instanceof Float64Array)) {
    throw expected(name, "be a Float32Array or Float64Array", x);
  }
  if (x.length % dimension !== 0) {
    throw expected(name, `hold a whole number of samples of ${dimension} values`, x.length);
  }
  // A plain loop: this runs on every batch of a fit.
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

/** An N×N matrix or a list, and how its entries are called in messages. */
export interface ArrayShape {
  readonly length: number;
  /** Of a matrix: its rows and columns. */
  readonly matrix?: number;
}

/**
 * A copy of a caller's values, all finite in Float32: Float32Array stays what it is, anything else
 * becomes Float64.
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

/** Throws for the first value that is not allowed, naming its place. */
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
 * Elimination with row pivoting in Float64 on rows scaled to a largest entry of 1. A pivot at the
 * level of rounding, which grows with every step of the elimination, counts as 0.
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
      const rule = `be non-singular (column ${p} must not depend on those before it)`;
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
 * The type of records whose parameters are known to be sound. Only constructors return them: a
 * spread does not copy accessors, so that `{ ...record }` is none any more and goes through its
 * constructor again. The accessor exists in types only, and the records stay plain.
 */
export declare abstract class Checked {
  abstract get "checked by a constructor"(): true;
}

/** A record without the mark of its constructor: what a caller may have changed. */
export type Unchecked<T> = T extends unknown
  ? {
      [K in keyof T as Exclude<K, keyof Checked>]: T[K] extends readonly (infer S extends Checked)[]
        ? readonly Unchecked<S>[]
        : T[K];
    }
  : never;

/** The same mark at run time, for callers without types. */
const checkedRecords = new WeakSet();

/**
 * Vouches for a record without a check. For constructors, and for records that come from another
 * thread, which has checked them: a message loses the mark.
 */
export function trusted<T extends Checked>(record: Unchecked<T>): T {
  checkedRecords.add(record);
  return record as unknown as T;
}

export function isChecked(record: object): boolean {
  return checkedRecords.has(record);
}
