import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";

export interface MosaicOptions {
  /** Side of a patch in pixels. */
  readonly size: number;
  /** Its height, where it is not square. */
  readonly height?: number;
  readonly columns: number;
  /** Each pixel of a patch becomes zoom×zoom pixels. */
  readonly zoom?: number;
  /** "each": every patch uses the full range of greys, 0 in the middle; "all": one range for all. */
  readonly scale?: "each" | "all";
  /** Both given: the values shown as black and as white, for all patches; `scale` then has no part. */
  readonly black?: number | undefined;
  readonly white?: number | undefined;
  /** The grey of the lines between them, default 1: white. */
  readonly lines?: number;
}

/** Patches side by side in black to white (0 to 1), with lines between them. */
export function patchMosaic(patches: ArrayLike<number>, options: MosaicOptions): GreyImage {
  const { size, columns, zoom = 1, lines = 1, height: rows = size } = options;
  for (const [name, value] of Object.entries({ size, height: rows, columns, zoom })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  const area = size * rows;
  if (patches.length === 0 || patches.length % area !== 0) {
    throw expected("patches", `hold a whole number of patches of ${area} values`, patches.length);
  }
  const count = patches.length / area;
  const [across, down] = [size * zoom + 1, rows * zoom + 1];
  const [width, height] = [columns * across + 1, Math.ceil(count / columns) * down + 1];
  const pixels = new Float32Array(width * height).fill(lines);
  const greysOf = displayRange(patches, area, options);
  for (let p = 0; p < count; p++) {
    const { black, white } = greysOf(p);
    const [top, left] = [1 + Math.floor(p / columns) * down, 1 + (p % columns) * across];
    for (let row = 0; row < rows * zoom; row++) {
      for (let column = 0; column < size * zoom; column++) {
        const k = p * area + Math.floor(row / zoom) * size + Math.floor(column / zoom);
        pixels[(top + row) * width + left + column] = (patches[k] - black) / (white - black);
      }
    }
  }
  return { width, height, pixels };
}

/** The values of patch p that become black and white; 0 is in the middle unless they are given. */
function displayRange(
  patches: ArrayLike<number>,
  area: number,
  { scale = "each", black, white }: MosaicOptions,
): (p: number) => { black: number; white: number } {
  if (black !== undefined && white !== undefined) return () => ({ black, white });
  const around = (range: number) => ({ black: -(range || 1), white: range || 1 });
  const overall = around(largest(patches, 0, patches.length));
  return (p) => (scale === "all" ? overall : around(largest(patches, p * area, (p + 1) * area)));
}

function largest(values: ArrayLike<number>, from: number, to: number): number {
  let size = 0;
  for (let k = from; k < to; k++) size = Math.max(size, Math.abs(values[k]));
  return size;
}
