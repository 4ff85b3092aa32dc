/**
 * Images as grids of vectors. An image cut into blocks of s×s pixels is a field of s² maps;
 * transforms and convolutions map fields to fields.
 *
 *   symbol   variable       shape
 *   x_p      values         width·height × maps, locations row by row: each is one sample of
 *                           dimension `maps`
 *   s        stride         the side of a block
 */
import { expected } from "../errors.js";
import { type GreyPixels, requireFinitePixels } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import { checkDimension, checkFields, checkSamples } from "./checks.js";

/** Size of a grid of locations, or of frequencies. */
export interface GridSize {
  readonly width: number;
  readonly height: number;
}

export interface Field extends GridSize {
  /** Values at each location. */
  readonly maps: number;
  /** Value c of column x in row y: (y·width + x)·maps + c. */
  readonly values: FloatArray;
}

/** Fields of the same size in one array. */
export interface FieldBatch extends Field {
  readonly count: number;
}

/** Joins one or more fields of the same size. */
export function batchOf(fields: readonly Field[]): FieldBatch {
  const [first] = fields;
  const count = fields.length;
  if (count === 1) return { ...first, count };
  const isSingle = fields.every(({ values }) => values instanceof Float32Array);
  const { length } = first.values;
  const values = isSingle ? new Float32Array(count * length) : new Float64Array(count * length);
  fields.forEach((field, k) => {
    values.set(field.values, k * length);
  });
  return { ...first, count, values };
}

/** Splits a batch into its fields, without copying. */
export function fieldsOf({ count, values, ...size }: FieldBatch): readonly Field[] {
  const length = values.length / count;
  return Array.from({ length: count }, (_, k) => ({
    ...size,
    values: values.subarray(k * length, (k + 1) * length),
  }));
}

export function locationsOf({ count, width, height }: FieldBatch): number {
  return count * width * height;
}

/** Cuts an image into blocks; the pixel in row a, column b of a block is value a·stride + b. */
export function imageToField(image: GreyPixels, stride: number): Field {
  requireFinitePixels(image, "the image");
  const size = requireBlocks(image, stride);
  const maps = stride * stride;
  const values = image.pixels.slice();
  forEachBlockRow(size, stride, (location, a, pixel) => {
    values.set(image.pixels.subarray(pixel, pixel + stride), location * maps + a * stride);
  });
  return { ...size, maps, values };
}

/** Returns the image whose blocks a field holds: the inverse of {@link imageToField}. */
export function fieldToImage(field: Field): GreyPixels {
  requireField(field, "the field");
  const { width, height, maps, values } = field;
  const stride = Math.round(Math.sqrt(maps));
  if (stride * stride !== maps) throw expected("the maps of the field", "be a square", maps);
  const pixels = values.slice();
  forEachBlockRow({ width, height }, stride, (location, a, pixel) => {
    const from = location * maps + a * stride;
    pixels.set(values.subarray(from, from + stride), pixel);
  });
  return { width: width * stride, height: height * stride, pixels };
}

const largestStride = 64;

/** Requires a stride from 1 to 64: a transform has at most 4096 = 64² components. */
export function requireStride(stride: number): void {
  if (Number.isInteger(stride) && stride >= 1 && stride <= largestStride) return;
  throw expected("the stride", `be an integer from 1 to ${largestStride}`, stride);
}

/** Returns the number of blocks along each side; the sides must be multiples of the stride. */
export function requireBlocks({ width, height }: GridSize, stride: number): GridSize {
  requireStride(stride);
  for (const [side, value] of Object.entries({ width, height })) {
    if (Number.isInteger(value) && value > 0 && value % stride === 0) continue;
    throw expected(`the ${side} of the image`, `be a multiple of the stride, ${stride}`, value);
  }
  return { width: width / stride, height: height / stride };
}

/** Returns the multiple of the stride that is nearest to a length in pixels, at least one block. */
export function wholeBlocks(length: number, stride: number): number {
  return Math.max(1, Math.round(length / stride)) * stride;
}

/** Calls `visit` for every row a of every block, with the index of its first pixel. */
function forEachBlockRow(
  { width, height }: GridSize,
  stride: number,
  visit: (location: number, a: number, pixel: number) => void,
): void {
  for (let location = 0; location < width * height; location++) {
    const x = location % width;
    const y = (location - x) / width;
    for (let a = 0; a < stride; a++) visit(location, a, ((y * stride + a) * width + x) * stride);
  }
}

/** Requires a grid with at least one location. */
export function requireGrid({ width, height }: GridSize, name: string): void {
  for (const [side, value] of Object.entries({ width, height })) {
    if (Number.isInteger(value) && value > 0) continue;
    throw expected(`the ${side} of ${name}`, "be a positive integer", value);
  }
}

/** Requires a valid field, with `maps` maps if given. */
export function requireField(field: Field, name: string, maps?: number): void {
  checkFields(name, field, ["width", "height", "maps", "values"]);
  requireGrid(field, name);
  checkDimension(field.maps, `the maps of ${name}`);
  if (maps !== undefined && field.maps !== maps) {
    throw expected(`the maps of ${name}`, `be ${maps}`, field.maps);
  }
  const length = field.width * field.height * field.maps;
  if (field.values.length !== length) {
    const rule = `hold ${length} values (${field.height}×${field.width}×${field.maps})`;
    throw expected(name, rule, field.values.length);
  }
  checkSamples(field.values, field.maps, `the values of ${name}`);
}
