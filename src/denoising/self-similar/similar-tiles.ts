/** Tiles of an image for groups of similar patches. They do not depend on the number of workers. */
import type { GreyImage, ImageSize } from "../../images/grey-image.js";
import type { SimilarRegion, SimilarSettings } from "../../kernels/kernels.js";
import { coveringCorners } from "../overlapping-patches.js";

/** Pixels with all windows of the reference patches that begin in a square of the image. */
export interface SimilarTile extends ImageSize {
  readonly left: number;
  readonly top: number;
  /** Corners of the reference patches in the tile. */
  readonly references: Int32Array;
}

/** Side in pixels of the square in which the reference patches begin. */
const tileSide = 64;

/** Divides the reference patches, at every `stride`-th pixel, among tiles. */
export function similarTiles(
  image: ImageSize,
  { size, reach }: Pick<SimilarSettings, "size" | "reach">,
  stride: number,
): readonly SimilarTile[] {
  const { width, height } = image;
  const across = Math.ceil(width / tileSide);
  const groups: { readonly x: number; readonly y: number }[][] = [];
  for (const corner of coveringCorners(image, size, stride)) {
    const [x, y] = [corner % width, Math.floor(corner / width)];
    (groups[across * Math.floor(y / tileSide) + Math.floor(x / tileSide)] ??= []).push({ x, y });
  }
  return groups.filter(Boolean).map((corners) => {
    const [first, last] = [corners[0], corners[corners.length - 1]];
    const [left, top] = [Math.max(0, first.x - reach), Math.max(0, first.y - reach)];
    const right = Math.min(width, last.x + reach + size);
    const bottom = Math.min(height, last.y + reach + size);
    const references = Int32Array.from(
      corners,
      ({ x, y }) => (y - top) * (right - left) + x - left,
    );
    return { left, top, width: right - left, height: bottom - top, references };
  });
}

/** Copies the pixels of a tile. */
export function regionOf(guide: GreyImage, noisy: GreyImage, tile: SimilarTile): SimilarRegion {
  const { width, height, references } = tile;
  return { width, height, references, guide: pixelsOf(guide, tile), noisy: pixelsOf(noisy, tile) };
}

function pixelsOf(image: GreyImage, { left, top, width, height }: SimilarTile): Float32Array {
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (top + row) * image.width + left;
    pixels.set(image.pixels.subarray(from, from + width), row * width);
  }
  return pixels;
}

/** Adds values of a tile to those of the image. */
export function addTile(
  total: Float64Array,
  image: ImageSize,
  values: ArrayLike<number>,
  { left, top, width, height }: SimilarTile,
): void {
  for (let row = 0; row < height; row++) {
    const to = (top + row) * image.width + left;
    for (let k = 0; k < width; k++) total[to + k] += values[row * width + k];
  }
}

/** Sums values of corners over the size×size patches that cover each pixel. */
export function coveringSums(
  values: Float64Array,
  { width, height }: ImageSize,
  size: number,
): Float64Array {
  const rows = new Float64Array(values.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = Math.max(0, x - size + 1); k <= x; k++) sum += values[y * width + k];
      rows[y * width + x] = sum;
    }
  }
  const sums = new Float64Array(values.length);
  for (let y = 0; y < height; y++) {
    for (let k = Math.max(0, y - size + 1); k <= y; k++) {
      for (let x = 0; x < width; x++) sums[y * width + x] += rows[k * width + x];
    }
  }
  return sums;
}
