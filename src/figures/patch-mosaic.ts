import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";

export interface MosaicOptions {
  /** Side of a patch in pixels. */
  readonly size: number;
  readonly columns: number;
  /** Each pixel of a patch becomes zoom×zoom pixels. */
  readonly zoom?: number;
  /** "each": every patch uses the full range of greys, 0 in the middle; "all": one range for all. */
  readonly scale?: "each" | "all";
}

/** Patches side by side in black to white (0 to 1), with lines of mid grey between them. */
export function patchMosaic(patches: ArrayLike<number>, options: MosaicOptions): GreyImage {
  const { size, columns, zoom = 1, scale = "each" } = options;
  for (const [name, value] of Object.entries({ size, columns, zoom })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  const area = size * size;
  if (patches.length === 0 || patches.length % area !== 0) {
    throw expected("patches", `hold a whole number of patches of ${area} values`, patches.length);
  }
  const count = patches.length / area;
  const cell = size * zoom + 1;
  const [width, height] = [columns * cell + 1, Math.ceil(count / columns) * cell + 1];
  const pixels = new Float32Array(width * height).fill(0.5);
  const overall = largest(patches, 0, patches.length);
  for (let p = 0; p < count; p++) {
    const range = scale === "each" ? largest(patches, p * area, (p + 1) * area) : overall;
    const [top, left] = [1 + Math.floor(p / columns) * cell, 1 + (p % columns) * cell];
    for (let row = 0; row < size * zoom; row++) {
      for (let column = 0; column < size * zoom; column++) {
        const k = p * area + Math.floor(row / zoom) * size + Math.floor(column / zoom);
        pixels[(top + row) * width + left + column] = 0.5 + (0.5 * patches[k]) / (range || 1);
      }
    }
  }
  return { width, height, pixels };
}

function largest(values: ArrayLike<number>, from: number, to: number): number {
  let size = 0;
  for (let k = from; k < to; k++) size = Math.max(size, Math.abs(values[k]));
  return size;
}
