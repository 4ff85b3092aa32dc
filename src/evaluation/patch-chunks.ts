/** The patches of an image in chunks, to bound the memory. */
import type { GreyImage } from "../images/grey-image.js";
import { randomCorner } from "../patches/image-patches.js";
import { copyPatch } from "../patches/patch-layout.js";
import type { RandomStream } from "../random/random-stream.js";

/** Indices of the first pixels of patches at random places. */
export function* randomCorners(
  random: RandomStream,
  image: GreyImage,
  size: number,
  count: number,
): Generator<number, void> {
  for (let k = 0; k < count; k++) yield randomCorner(random, image, size);
}

/** Indices of the first pixels of patches on a grid, in the order of `gridPatches`. */
export function* gridCorners(
  { width, height }: GreyImage,
  size: number,
  stride: number,
): Generator<number, void> {
  for (let top = 0; top + size <= height; top += stride) {
    for (let left = 0; left + size <= width; left += stride) yield top * width + left;
  }
}

export interface PatchChunk {
  /** Rows of size² pixels. */
  readonly patches: Float32Array;
  /** Index of the first pixel of each patch in the image. */
  readonly corners: readonly number[];
}

/** The patches at `corners`, `most` at a time. */
export function* patchChunks(
  { pixels, width }: GreyImage,
  size: number,
  corners: Iterable<number>,
  most: number,
): Generator<PatchChunk, void> {
  const layout = { size, removeMean: false };
  const area = size * size;
  let pending: number[] = [];
  const cut = (): PatchChunk => {
    const patches = new Float32Array(pending.length * area);
    pending.forEach((corner, k) => {
      copyPatch(pixels, width, corner, layout, patches, k * area);
    });
    const chunk = { patches, corners: pending };
    pending = [];
    return chunk;
  };
  for (const corner of corners) {
    pending.push(corner);
    if (pending.length === most) yield cut();
  }
  if (pending.length > 0) yield cut();
}
