/** Fields of one size, one for each image: stages that apply to each location alike take all of them in one batch. */
import { expected } from "../../errors.js";
import type { GreyPixels } from "../../images/grey-image.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { type Field, imageToField } from "../../transforms/field.js";

export type FieldStack = readonly Field[];

/** The blocks of images, at least one, all of one size. */
export function stackOf(given: readonly GreyPixels[], stride: number): FieldStack {
  if (!Array.isArray(given) || given.length === 0) {
    throw expected("images", "be a list of at least one", given);
  }
  const images = given as readonly GreyPixels[];
  const { width, height } = images[0];
  const other = images.findIndex((image) => image.width !== width || image.height !== height);
  if (other >= 0) {
    const size = `${images[other].width}×${images[other].height}`;
    throw expected(`image ${other}`, `have the ${width}×${height} pixels of image 0`, size);
  }
  return images.map((image) => imageToField(image, stride));
}

/** All locations of all fields, as samples. */
export function samplesOf(stack: FieldStack): FloatArray {
  const [{ values }] = stack;
  if (stack.length === 1) return values;
  const isSingle = stack.every((field) => field.values instanceof Float32Array);
  const length = stack.length * values.length;
  const all = isSingle ? new Float32Array(length) : new Float64Array(length);
  stack.forEach((field, k) => {
    all.set(field.values, k * values.length);
  });
  return all;
}

/** The same locations with other values. */
export function withSamples(stack: FieldStack, samples: FloatArray): FieldStack {
  const length = stack[0].values.length;
  return stack.map((field, k) => ({
    ...field,
    values: samples.subarray(k * length, (k + 1) * length),
  }));
}

/** One value for each location, added up field by field. */
export function sumsOf(stack: FieldStack, ofLocations: Float64Array): Float64Array {
  const locations = stack[0].width * stack[0].height;
  return Float64Array.from(stack, (_, k) =>
    ofLocations.subarray(k * locations, (k + 1) * locations).reduce((a, b) => a + b, 0),
  );
}
