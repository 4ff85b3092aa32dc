import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { copyPatch } from "./patch-layout.js";
import { requireRoom } from "./random-patches.js";

/**
 * All patches of size×size pixels whose corner is on a grid, from the top left on and row by row, each a row of the result. By
 * default they do not overlap; what is left at the right and at the bottom is in none of them.
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
