/**
 * Strips of eight patches side by side, [component][8], as all products of patch estimates need
 * them. Patches are read from an image and added to another, so that no copy of all patches exists.
 */
import { outerTile } from "./products";

/** C = A B for each strip; A in strips of four rows, [strip][k][4]. */
export function multiplyStrips(c: usize, a: usize, b: usize, n: usize, strips: usize): void {
  for (; strips > 0; strips--) {
    let rows = a;
    for (let i: usize = 0; i < n; i += 4) {
      outerTile(c + (i << 5), 32, rows, 16, b, 32, n, false);
      rows += n << 4;
    }
    c += n << 5;
    b += n << 5;
  }
}

/** Address of a patch in the strips at `x`. */
@inline
function laneOf(x: usize, patch: usize, n: usize): usize {
  return x + (patch >> 3) * (n << 5) + ((patch & 7) << 2);
}

/** Offsets of the pixels of a patch in its pose; without poses, all patches have the first. */
@inline
function offsetsOf(offsets: usize, poses: usize, patch: usize, n: usize): usize {
  return poses ? offsets + <usize>load<i32>(poses + (patch << 2)) * (n << 2) : offsets;
}

/**
 * Reads patches of an image. `offsets` holds the distance in bytes of each component of a patch
 * from its corner, for each pose. Lanes without a patch keep what they hold.
 */
export function gatherStrips(
  x: usize, image: usize, corners: usize, poses: usize, count: usize, offsets: usize, n: usize,
): void {
  for (let p: usize = 0; p < count; p++) {
    const from = image + (<usize>load<i32>(corners + (p << 2)) << 2);
    let to = laneOf(x, p, n), offset = offsetsOf(offsets, poses, p, n);
    for (const end = offset + (n << 2); offset < end; offset += 4) {
      store<f32>(to, load<f32>(from + <usize>load<i32>(offset)));
      to += 32;
    }
  }
}

/** Adds the first `pixels` components of each patch to its pixels of the image. */
export function scatterStrips(
  sums: usize, x: usize, corners: usize, poses: usize, count: usize, offsets: usize, n: usize, pixels: usize,
): void {
  for (let p: usize = 0; p < count; p++) {
    const to = sums + (<usize>load<i32>(corners + (p << 2)) << 2);
    let from = laneOf(x, p, n), offset = offsetsOf(offsets, poses, p, n);
    for (const end = offset + (pixels << 2); offset < end; offset += 4) {
      const at = to + <usize>load<i32>(offset);
      store<f32>(at, load<f32>(at) + load<f32>(from));
      from += 32;
    }
  }
}
