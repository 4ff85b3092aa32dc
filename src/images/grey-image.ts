import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Pixels of one channel, row by row from the top left, in either precision. The caller chooses the
 * scale of the values.
 */
export interface GreyPixels<Pixels extends FloatArray = FloatArray> extends ImageSize {
  readonly pixels: Pixels;
}

/** A picture of one channel, as it is stored. */
export type GreyImage = GreyPixels<Float32Array>;

/** An intermediate result in double precision. */
export type Float64Pixels = GreyPixels<Float64Array>;

/** Requires positive integers, such as sides, counts and strides; the keys name them in errors. */
export function requireCounts(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
}

/** Requires pixels in one typed array, such as those of a grey image or of patches. */
export function requireFloats(values: FloatArray, name: string): void {
  if (values instanceof Float32Array || values instanceof Float64Array) return;
  throw expected(name, "be a Float32Array or a Float64Array", values);
}

/** Requires one pixel for each place of an image that is not empty. */
export function requirePixels(image: GreyPixels, name: string): void {
  if (typeof image !== "object" || (image as object | null) === null || !("pixels" in image)) {
    const rule = "be a grey image { width, height, pixels }, as decodeImage returns it,";
    throw expected(name, rule, image);
  }
  const { width, height, pixels } = image;
  requireFloats(pixels, `the pixels of ${name}`);
  requireCounts({ [`the width of ${name}`]: width, [`the height of ${name}`]: height });
  if (pixels.length === width * height) return;
  throw expected(name, `hold ${width * height} pixels (${width}×${height})`, pixels.length);
}

/** Also rejects NaN and Infinity, which would spread to everything computed from the image. */
export function requireFinitePixels(image: GreyPixels, name: string): void {
  requirePixels(image, name);
  const { width, pixels } = image;
  const wrong = pixels.findIndex((value) => !Number.isFinite(value));
  if (wrong === -1) return;
  const place = `column ${wrong % width} of row ${Math.floor(wrong / width)} of ${name}`;
  throw expected(place, "be a finite number", pixels[wrong]);
}

/** Copies a rectangle of an image; its upper left pixel is (left, top). */
export function cropOf<Pixels extends FloatArray>(
  image: GreyPixels<Pixels>,
  left: number,
  top: number,
  { width, height }: ImageSize,
): GreyPixels<Pixels> {
  const pixels = image.pixels.slice(0, width * height) as Pixels;
  for (let row = 0; row < height; row++) {
    const start = (top + row) * image.width + left;
    pixels.set(image.pixels.subarray(start, start + width), row * width);
  }
  return { width, height, pixels };
}

/** Returns the middle of an image, at most this large. */
export function centralCrop(image: GreyImage, most: ImageSize): GreyImage {
  const [width, height] = [Math.min(image.width, most.width), Math.min(image.height, most.height)];
  const left = Math.floor((image.width - width) / 2);
  const top = Math.floor((image.height - height) / 2);
  return cropOf(image, left, top, { width, height });
}

export function requireSameSize(
  image: ImageSize,
  { width, height }: ImageSize,
  name = "the image",
): void {
  if (image.width === width && image.height === height) return;
  throw expected(name, `have ${width}×${height} pixels`, `${image.width}×${image.height}`);
}
