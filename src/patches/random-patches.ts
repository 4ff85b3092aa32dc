import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import type { RandomStream } from "../random/random-stream.js";

/** `count` patches of size×size pixels from random places of random images, each a row of the result. */
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
  for (const [k, { width, height }] of images.entries()) {
    if (Math.min(width, height) < size) {
      throw expected(`image ${k}`, `be at least ${size}×${size} pixels`, `${width}×${height}`);
    }
  }
  const patches = new Float32Array(count * size * size);
  for (let s = 0; s < count; s++) {
    const { width, height, pixels } = images[random.integer(images.length)];
    const top = random.integer(height - size + 1);
    const left = random.integer(width - size + 1);
    // Value by value: for a few pixels a row, views cost more than copies.
    for (let row = 0, to = s * size * size; row < size; row++) {
      const start = (top + row) * width + left;
      for (let column = 0; column < size; column++) patches[to++] = pixels[start + column];
    }
  }
  return patches;
}
