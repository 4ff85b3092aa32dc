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

/** Returns corners of patches that cover every pixel: a grid, plus the right and lower edges. */
export function coveringCorners(
  { width, height }: ImageSize,
  size: number,
  stride: number,
): Uint32Array {
  const [lefts, tops] = [starts(width, size, stride), starts(height, size, stride)];
  const corners = new Uint32Array(lefts.length * tops.length);
  let k = 0;
  for (const top of tops) for (const left of lefts) corners[k++] = top * width + left;
  return corners;
}

function starts(length: number, size: number, stride: number): number[] {
  const last = length - size;
  const onGrid = Array.from({ length: Math.floor(last / stride) + 1 }, (_, k) => k * stride);
  return last % stride === 0 ? onGrid : [...onGrid, last];
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
