/** Overlapping patches that cover an image, and their average at each pixel. */
import { expected } from "../errors.js";
import type { GreyImage, ImageSize } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import { copyPatch } from "../patches/patch-layout.js";

/** Rejects strides that would leave pixels uncovered. */
export function checkStride(stride: number, size: number, piece = "patch"): void {
  if (Number.isInteger(stride) && stride >= 1 && stride <= size) return;
  throw expected("stride", `be an integer from 1 to ${size}, the side of a ${piece}`, stride);
}

/** Places of patches that cover every pixel: every `stride`-th pixel, and the edges. */
export interface PatchGrid {
  readonly size: number;
  readonly stride: number;
  /**
   * Moves each row of patches by a number of pixels below the stride, which depends on this number
   * and on the row. So the rounds of a denoiser use different patches. Default: no row is moved.
   */
  readonly jitter?: number;
}

/** Returns corners of patches that cover every pixel: a grid, plus the right and lower edges. */
export function coveringCorners(image: ImageSize, size: number, stride: number): Uint32Array {
  const [lefts, tops] = [image.width, image.height].map((length) =>
    gridStarts(length, { size, stride }),
  );
  const corners = new Uint32Array(lefts.length * tops.length);
  let k = 0;
  for (const top of tops) for (const left of lefts) corners[k++] = top * image.width + left;
  return corners;
}

export interface LinePart {
  /** Number of the line in a grid whose lines are moved; default 0. */
  readonly line?: number;
  /** Bounds of the part, default the whole line. */
  readonly from?: number;
  readonly to?: number;
}

/** Returns where patches begin along a part of a line of pixels. */
export function gridStarts(
  length: number,
  { size, stride, jitter }: PatchGrid,
  { line = 0, from = 0, to = length }: LinePart = {},
): number[] {
  const last = length - size;
  const offset = jitter === undefined ? 0 : mixed(jitter, line) % stride;
  const starts = offset > 0 && from === 0 && last > 0 ? [0] : [];
  const first = offset + stride * Math.max(0, Math.ceil((from - offset) / stride));
  const end = Math.min(last, to);
  for (let at = first; at < end; at += stride) starts.push(at);
  if (last >= from && last < to) starts.push(last);
  return starts;
}

/** Returns a whole number that looks random for neighbouring arguments (MurmurHash3). */
function mixed(jitter: number, line: number): number {
  let h = Math.imul(jitter, 0x9e3779b1) ^ Math.imul(line + 1, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Copies patches with their means. */
export function patchesAt(
  { pixels, width }: GreyImage,
  corners: Uint32Array,
  size: number,
): Float32Array {
  const area = size * size;
  const patches = new Float32Array(corners.length * area);
  const layout = { size, removeMean: false };
  corners.forEach((corner, k) => {
    copyPatch(pixels, width, corner, layout, patches, k * area);
  });
  return patches;
}

/** Weighted mean of all patches at each pixel, summed in the order of the patches in any chunks. */
export class OverlapAverage {
  private readonly sums: Float64Array;
  private readonly weights: Float64Array;

  constructor(
    private readonly shape: ImageSize,
    private readonly size: number,
  ) {
    this.sums = new Float64Array(shape.width * shape.height);
    this.weights = new Float64Array(this.sums.length);
  }

  /** Adds patches; `weights` holds one value per patch, default 1. */
  add(corners: Uint32Array, patches: FloatArray, weights?: FloatArray): void {
    const { size, shape } = this;
    let from = 0;
    for (const [k, corner] of corners.entries()) {
      const weight = weights ? weights[k] : 1;
      for (let row = 0; row < size; row++) {
        const start = corner + row * shape.width;
        for (let at = start; at < start + size; at++) {
          this.sums[at] += weight * patches[from++];
          this.weights[at] += weight;
        }
      }
    }
  }

  image(): GreyImage {
    const { width, height } = this.shape;
    const pixels = new Float32Array(this.sums.length);
    for (let k = 0; k < pixels.length; k++) pixels[k] = this.sums[k] / this.weights[k];
    return { width, height, pixels };
  }
}
