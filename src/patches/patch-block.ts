/** The patches of several steps in a row, made at once because then each image is read while it is in the cache. */
import type { GreyImage } from "../images/grey-image.js";
import type { RandomStream } from "../random/random-stream.js";
import { type PatchLayout, copyPatch, patchDimension } from "./patch-layout.js";
import { randomCorner } from "./random-patches.js";

export interface BlockShape {
  readonly layout: PatchLayout;
  /** Patches of a step. */
  readonly batch: number;
  readonly steps: number;
}

const bytesOfBlock = 2 ** 23;
const mostSteps = 64;

/** Enough steps that an image gives many patches while it is in the cache; few enough that nobody minds the memory. */
export function stepsOfBlock(layout: PatchLayout, batch: number): number {
  const bytesOfStep = batch * patchDimension(layout) * Float32Array.BYTES_PER_ELEMENT;
  return Math.max(1, Math.min(mostSteps, Math.floor(bytesOfBlock / bytesOfStep)));
}

/**
 * steps×batch×N samples. With W images and P = steps · batch patches, image order[k] of a random order gives the patches
 *
 *   t = ⌈k P / W⌉ … ⌈(k + 1) P / W⌉ − 1,     patch t is row ⌊t / steps⌋ of the step at place t mod steps of another random order,
 *
 * a new one for each row. So any given sample is from each image with the same probability, at each of its places, as if drawn by
 * itself. But all images have equal shares of the block, and nearly equal ones of each step: what images differ in adds less to the
 * variance of a gradient than if they were drawn, too.
 */
export function patchBlock(
  random: RandomStream,
  images: readonly GreyImage[],
  shape: BlockShape,
): Float32Array {
  const { layout } = shape;
  const n = patchDimension(layout);
  const patches = shape.steps * shape.batch;
  const samples = new Float32Array(patches * n);
  const order = random.permutation(images.length);
  const rows = shuffledRows(random, shape);
  for (let k = 0, t = 0; k < images.length; k++) {
    const image = images[order[k]];
    for (const end = Math.ceil(((k + 1) * patches) / images.length); t < end; t++) {
      const corner = randomCorner(random, image, layout.size);
      copyPatch(image.pixels, image.width, corner, layout, samples, rows[t] * n);
    }
  }
  return samples;
}

/** The row of the block that each patch t becomes. */
function shuffledRows(random: RandomStream, { batch, steps }: BlockShape): Uint32Array {
  const rows = new Uint32Array(steps * batch);
  const order = random.permutation(steps);
  for (let row = 0, t = 0; row < batch; row++) {
    random.shuffle(order);
    for (let k = 0; k < steps; k++) rows[t++] = order[k] * batch + row;
  }
  return rows;
}
