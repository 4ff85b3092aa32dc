/** Converts the input of a density to one form. */
import { GaussianizeError, expected } from "../errors.js";
import type { GreyPixels } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { Field } from "../transforms/field.js";
import type { DensitySampleOptions, Images, Samples } from "./density.js";

/** Returns the values of samples, count×N; a typed array is not copied. */
export function valuesOf(x: Samples, dimension: number, name = "x"): FloatArray {
  if (x instanceof Float32Array || x instanceof Float64Array) return x;
  requireNoImage(x, name);
  const rule = "be a Float32Array, a Float64Array or a list of rows";
  if (!Array.isArray(x)) throw expected(name, rule, x);
  const values = new Float64Array(x.length * dimension);
  (x as readonly unknown[]).forEach((row, s) => {
    if (!isRow(row)) throw expected(name, rule, x);
    if (row.length !== dimension) {
      throw expected(`${name}[${s}]`, `hold ${dimension} values`, row.length);
    }
    values.set(row, s * dimension);
  });
  return values;
}

function isRow(row: unknown): row is ArrayLike<number> {
  return Array.isArray(row) || row instanceof Float32Array || row instanceof Float64Array;
}

function requireNoImage(x: unknown, name: string): void {
  const [first] = Array.isArray(x) ? (x as unknown[]) : [x];
  if (typeof first !== "object" || first === null) return;
  const what = "pixels" in first ? "an image" : "maps" in first ? "a field" : undefined;
  if (what === undefined) return;
  throw new GaussianizeError(
    "invalid-argument",
    `Expected ${name} to be samples, since the model is one of patches, but received ${what}.`,
    { argument: name },
  );
}

/** Returns the options of samples of patches, which have no size. */
export function withoutSize(options: DensitySampleOptions): Omit<DensitySampleOptions, "size"> {
  const { size, ...others } = options;
  if (size === undefined) return others;
  throw new GaussianizeError(
    "invalid-argument",
    "The option size is for models of whole images only.",
  );
}

/** A list of images or fields; `isOne` if a single one was given instead of a list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly isOne: boolean;
}

export function imagesOf(x: GreyPixels | Images): Listed<GreyPixels> {
  return listed(x, "x", "pixels", "an image { width, height, pixels } or a list of such");
}

export function fieldsIn(y: Field | readonly Field[]): Listed<Field> {
  return listed(y, "y", "values", "a field { width, height, maps, values } or a list of such");
}

function listed<Item>(
  given: Item | readonly Item[],
  name: string,
  key: string,
  what: string,
): Listed<Item> {
  const isOne = !Array.isArray(given);
  const items = isOne ? [given as Item] : (given as readonly Item[]);
  for (const item of items as readonly unknown[]) {
    if (typeof item === "object" && item !== null && key in item && !ArrayBuffer.isView(item)) {
      continue;
    }
    throw expected(name, `be ${what}, since the model is one of whole images,`, given);
  }
  return { items, isOne };
}
