import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import type { RandomStream } from "../random/random-stream.js";
import { copyPatch } from "./patch-layout.js";

/**
 * `count` patches of size×size pixels from random places of random images, each a row of the
 * result.
 */
export function randomPatches(
  random: RandomStream,
  images: readonly GreyImage[],
  size: number,
  count: number,
): Float32Array {
  for (const [name, value] of Object.entries({ size, count })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  if (images.length === 0) throw expected("images", "hold at least one image", 0);
  for (const [k, image] of images.entries()) requireRoom(image, `image ${k}`, size);
  const layout = { size, removeMean: false };
  const patches = new Float32Array(count * size * size);
  for (let at = 0; at < patches.length; at += size * size) {
    const image = images[random.integer(images.length)];
    const corner = randomCorner(random, image, size);
    copyPatch(image.pixels, image.width, corner, layout, patches, at);
  }
  return patches;
}

/**
 * Where the pixels of a random patch begin: at each place that has room for one with the same
 * probability.
 */
export function randomCorner(
  random: RandomStream,
  { width, height }: GreyImage,
  size: number,
): number {
  const top = random.integer(height - size + 1);
  return top * width + random.integer(width - size + 1);
}

export function requireRoom(
  { width, height }: Pick<GreyImage, "width" | "height">,
  name: string,
  size: number,
): void {
  if (Math.min(width, height) >= size) return;
  throw expected(name, `be at least ${size}×${size} pixels`, `${width}×${height}`);
}

/**
 * All patches of size×size pixels whose corner is on a grid, from the top left on and row by row,
 * each a row of the result. By default they do not overlap; what is left at the right and at the
 * bottom is in none of them.
 */
export function gridPatches(image: GreyImage, size: number, stride = size): Float32Array {
  const count = gridPatchCount(image, size, stride);
  const { width, height, pixels } = image;
  const layout = { size, removeMean: false };
  const patches = new Float32Array(count * size * size);
  let at = 0;
  for (let top = 0; top + size <= height; top += stride) {
    for (let left = 0; left + size <= width; left += stride, at += size * size) {
      copyPatch(pixels, width, top * width + left, layout, patches, at);
    }
  }
  return patches;
}

/** How many patches {@link gridPatches} gives; the pixels are not looked at. */
export function gridPatchCount(
  image: Pick<GreyImage, "width" | "height">,
  size: number,
  stride = size,
): number {
  for (const [name, value] of Object.entries({ size, stride })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  requireRoom(image, "the image", size);
  const along = (length: number): number => Math.floor((length - size) / stride) + 1;
  return along(image.width) * along(image.height);
}
