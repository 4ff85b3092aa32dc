/** Which images a fit leaves out, to validate with: known before and after it, from the seed alone. */
import { expected } from "../errors.js";
import { type Seed, createRandom } from "../random/random-stream.js";

/** More say no more; they are better fitted to. */
const mostHeldOut = 64;

export interface ImageSplit {
  /** Indices of images, in their order. */
  readonly training: Uint32Array;
  readonly heldOut: Uint32Array;
}

/** Of all images that a fit is given, with its options `heldOut` and `seed`. */
export function splitImages(images: number, heldOut: number, seed: Seed): ImageSplit {
  if (!Number.isInteger(images) || images < 1) {
    throw expected("images", "be a positive integer", images);
  }
  if (!(heldOut >= 0 && heldOut <= 0.9)) throw expected("heldOut", "be from 0 to 0.9", heldOut);
  return splitAt(images, heldOutCount(images, heldOut), seed);
}

export function splitAt(images: number, count: number, seed: Seed): ImageSplit {
  const order = createRandom(seed, "held out").permutation(images);
  return { heldOut: order.slice(0, count).sort(), training: order.slice(count).sort() };
}

/** At least one, unless none is wanted or there is but one. */
export function heldOutCount(images: number, part: number): number {
  if (part === 0) return 0;
  return Math.min(images - 1, mostHeldOut, Math.max(1, Math.round(part * images)));
}
