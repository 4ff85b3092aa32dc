import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { meanOf } from "../numbers/means.js";

/**
 * A picture of one channel, row by row from the top left; the scale of the values is the maker's to
 * say.
 */
export interface GreyImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Float32Array;
}

/**
 * The same in either precision: for what is computed on the way, or measured more finely than
 * pictures are kept.
 */
export interface GreyPixels {
  readonly width: number;
  readonly height: number;
  readonly pixels: FloatArray;
}

/** The mean of the pixels, added up in their order. */
export function meanGrey({ pixels }: GreyImage): number {
  return meanOf(pixels);
}

/** A picture is what it says it is: pixels for its width and height, and at least one. */
export function requirePixels({ width, height, pixels }: GreyPixels, name: string): void {
  for (const [side, value] of Object.entries({ width, height })) {
    if (Number.isInteger(value) && value > 0) continue;
    throw expected(`the ${side} of ${name}`, "be a positive integer", value);
  }
  if (pixels.length === width * height) return;
  throw expected(name, `hold ${width * height} pixels (${width}×${height})`, pixels.length);
}

/** And each of them a number: one that is not would spread over all that is computed from it. */
export function requireFinitePixels(image: GreyPixels, name: string): void {
  requirePixels(image, name);
  const { width, pixels } = image;
  for (let k = 0; k < pixels.length; k++) {
    if (Number.isFinite(pixels[k])) continue;
    const place = `column ${k % width} of row ${Math.floor(k / width)} of ${name}`;
    throw expected(place, "be a finite number", pixels[k]);
  }
}

/** So much of an image from its middle, or all that there is. */
export function centralCrop(
  image: GreyImage,
  most: { readonly width: number; readonly height: number },
): GreyImage {
  const [width, height] = [Math.min(image.width, most.width), Math.min(image.height, most.height)];
  const left = Math.floor((image.width - width) / 2);
  const top = Math.floor((image.height - height) / 2);
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const start = (top + row) * image.width + left;
    pixels.set(image.pixels.subarray(start, start + width), row * width);
  }
  return { width, height, pixels };
}

export function requireSameSize(image: GreyPixels, { width, height }: GreyPixels): void {
  if (image.width === width && image.height === height) return;
  throw expected("the image", `have ${width}×${height} pixels`, `${image.width}×${image.height}`);
}
