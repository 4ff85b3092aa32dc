import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import type { RandomStream } from "../random/random-stream.js";
import { copyPatch } from "./patch-layout.js";

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

/** Where the pixels of a random patch begin: at each place that has room for one with the same probability. */
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
