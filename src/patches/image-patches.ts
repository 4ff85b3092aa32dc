import { expected } from "../errors.js";
import {
  type GreyImage,
  type ImageSize,
  requireCounts,
  requirePixels,
} from "../images/grey-image.js";
import { type RandomStream, requireRandom } from "../random/random-stream.js";
import { copyPatch } from "./patch-layout.js";

/** Returns `count` patches of size×size pixels from random places of random images, one per row. */
export function randomPatches(
  random: RandomStream,
  images: readonly GreyImage[],
  size: number,
  count: number,
): Float32Array {
  requireRandom(random);
  requireCounts({ size, count });
  const given: unknown = images;
  if (!Array.isArray(given)) throw expected("images", "be a list of images", images);
  if (images.length === 0) throw expected("images", "hold at least one image", 0);
  for (const [k, image] of images.entries()) {
    requirePixels(image, `image ${k}`);
    requireRoom(image, `image ${k}`, size);
  }
  const layout = { size, removeMean: false };
  const patches = new Float32Array(count * size * size);
  for (let at = 0; at < patches.length; at += size * size) {
    const image = images[random.integer(images.length)];
    const corner = randomCorner(random, image, size);
    copyPatch(image.pixels, image.width, corner, layout, patches, at);
  }
  return patches;
}

/** Returns the first pixel of a random patch, uniform over all places with room for one. */
export function randomCorner(
  random: RandomStream,
  { width, height }: ImageSize,
  size: number,
): number {
  const top = random.integer(height - size + 1);
  return top * width + random.integer(width - size + 1);
}

export function requireRoom({ width, height }: ImageSize, name: string, size: number): void {
  if (Math.min(width, height) >= size) return;
  throw expected(name, `be at least ${size}×${size} pixels`, `${width}×${height}`);
}

/**
 * Returns the patches of size×size pixels on a grid from the top left, row by row, one per row. By
 * default they do not overlap. Pixels left over at the right and at the bottom are skipped.
 */
export function gridPatches(image: GreyImage, size: number, stride = size): Float32Array {
  requirePixels(image, "the image");
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

/** Returns the number of patches of {@link gridPatches}. */
export function gridPatchCount(image: ImageSize, size: number, stride = size): number {
  requireCounts({ size, stride });
  requireRoom(image, "the image", size);
  const along = (length: number): number => Math.floor((length - size) / stride) + 1;
  return along(image.width) * along(image.height);
}
