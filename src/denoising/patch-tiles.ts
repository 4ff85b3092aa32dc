/**
 * Tiles of an image, for work on its patches. They do not depend on the number of workers, and only
 * a few are in memory at a time.
 */
import type { GreyImage, ImageSize } from "../images/grey-image.js";
import { type PatchGrid, gridStarts } from "./overlapping-patches.js";

/** Pixels with all patches that begin in a square of the image, and with a margin around them. */
export interface PatchTile extends ImageSize {
  readonly left: number;
  readonly top: number;
  /** Number of the patches. */
  readonly count: number;
  /** Returns the corners of the patches, as indices of the pixels of the tile. */
  readonly corners: () => Int32Array;
}

export interface TileShape {
  /** Side in pixels of the square in which the patches begin. */
  readonly side: number;
  /** Pixels around the patches. */
  readonly margin: number;
}

/** Divides the patches of a grid among tiles, row by row. */
export function patchTiles(
  image: ImageSize,
  grid: PatchGrid,
  { side, margin }: TileShape,
): readonly PatchTile[] {
  const tiles: PatchTile[] = [];
  for (let top = 0; top + grid.size <= image.height; top += side) {
    const tops = gridStarts(image.height, grid, { from: top, to: top + side });
    for (let left = 0; left + grid.size <= image.width; left += side) {
      const region = regionAround(image, { left, top, side }, grid.size + margin, margin);
      const part = { from: left, to: left + side };
      const startsOf = (y: number): number[] =>
        gridStarts(image.width, grid, { line: 1 + y, ...part });
      const corners = (): Int32Array =>
        Int32Array.from(
          tops.flatMap((y) =>
            startsOf(y).map((x) => (y - region.top) * region.width + x - region.left),
          ),
        );
      const count = tops.reduce((sum, y) => sum + startsOf(y).length, 0);
      if (count > 0) tiles.push({ ...region, count, corners });
    }
  }
  return tiles;
}

function regionAround(
  image: ImageSize,
  square: { readonly left: number; readonly top: number; readonly side: number },
  after: number,
  before: number,
) {
  const [left, top] = [Math.max(0, square.left - before), Math.max(0, square.top - before)];
  const right = Math.min(image.width, square.left + square.side - 1 + after);
  const bottom = Math.min(image.height, square.top + square.side - 1 + after);
  return { left, top, width: right - left, height: bottom - top };
}

/** Copies the pixels of a tile, as scale·pixel + shift. */
export function pixelsOfTile(
  image: GreyImage,
  { left, top, width, height }: PatchTile,
  { scale, shift }: { readonly scale: number; readonly shift: number } = { scale: 1, shift: 0 },
): Float32Array {
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (top + row) * image.width + left;
    for (let k = 0; k < width; k++) {
      pixels[row * width + k] = scale * image.pixels[from + k] + shift;
    }
  }
  return pixels;
}

/** Adds values of a tile to those of the image. */
export function addTile(
  total: Float32Array,
  image: ImageSize,
  values: ArrayLike<number>,
  { left, top, width, height }: Pick<PatchTile, "left" | "top" | "width" | "height">,
): void {
  for (let row = 0; row < height; row++) {
    const to = (top + row) * image.width + left;
    for (let k = 0; k < width; k++) total[to + k] += values[row * width + k];
  }
}

/** Sums values of corners over the size×size patches that cover each pixel. */
export function coveringSums(
  values: ArrayLike<number>,
  { width, height }: ImageSize,
  size: number,
): Float32Array {
  const sums = Float32Array.from(values);
  for (let y = 0; y < height; y++) sumAlong(sums, y * width, 1, width, size);
  for (let x = 0; x < width; x++) sumAlong(sums, x, width, height, size);
  return sums;
}

/** Replaces values along a line by sums of up to `size` values, each up to its own place. */
function sumAlong(
  values: Float32Array,
  first: number,
  step: number,
  length: number,
  size: number,
): void {
  let sum = 0;
  for (let k = Math.max(0, length - size); k < length; k++) sum += values[first + k * step];
  // From the end, since sums read what lies before them.
  for (let k = length - 1; k >= 0; k--) {
    const at = first + k * step;
    const own = values[at];
    values[at] = sum;
    sum -= own;
    if (k >= size) sum += values[at - size * step];
  }
}
