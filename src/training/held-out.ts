/** Splits the images of a fit into those that it trains on and those that it validates with. */
import { GaussianizeError, expected } from "../errors.js";
import { type Seed, createRandom } from "../random/random-stream.js";

/** More say no more; they are better fitted to. */
const mostHeldOut = 64;

export interface ImageSplit {
  /** Indices of images, in their order. */
  readonly training: Uint32Array;
  readonly heldOut: Uint32Array;
}

/**
 * Returns the split that a fit with the options `heldOut` and `seed` makes if it can use every
 * image. Where it cannot, it holds out the next usable image in the same random order
 * (`splitUsable`).
 */
export function splitImages(images: number, heldOut: number, seed: Seed): ImageSplit {
  if (!Number.isInteger(images) || images < 1) {
    throw expected("images", "be a positive integer", images);
  }
  if (!(heldOut >= 0 && heldOut <= 0.9)) throw expected("heldOut", "be from 0 to 0.9", heldOut);
  const order = orderOf(images, seed);
  const count = heldOutCount(images, heldOut);
  return { heldOut: order.slice(0, count).sort(), training: order.slice(count).sort() };
}

function orderOf(images: number, seed: Seed): Uint32Array {
  return createRandom(seed, "held out").permutation(images);
}

/**
 * Splits images of which some may be unusable. Unusable images found on the way are in neither
 * part, and at least one usable image is left to train on. Looks at the images that it holds out
 * and at one more.
 *
 * @param isUsable Asked at most once for each image.
 * @throws GaussianizeError where no image is usable
 */
export async function splitUsable(
  images: number,
  part: number,
  seed: Seed,
  isUsable: (index: number) => Promise<boolean>,
): Promise<ImageSplit> {
  const order = orderOf(images, seed);
  const heldOut: number[] = [];
  let [next, usable] = [0, images];
  const isDone = (): boolean => heldOut.length >= heldOutCount(usable, part);
  if (isDone()) return { training: order.sort(), heldOut: new Uint32Array(0) };
  for (; next < images; next++) {
    if (!(await isUsable(order[next]))) usable--;
    else if (isDone()) break;
    else heldOut.push(order[next]);
  }
  // Unusable images that were met later make the part of the usable ones smaller: what is too much
  // is trained on.
  const surplus = heldOut.splice(Math.max(0, heldOutCount(usable, part)));
  const training = Uint32Array.from([...surplus, ...order.slice(next)]);
  if (training.length > 0)
    return { training: training.sort(), heldOut: Uint32Array.from(heldOut).sort() };
  throw new GaussianizeError("unusable-images", `None of the ${images} images can be used.`);
}

/** At least one, unless none is wanted or there is but one. */
export function heldOutCount(images: number, part: number): number {
  if (part === 0) return 0;
  return Math.min(images - 1, mostHeldOut, Math.max(1, Math.round(part * images)));
}
