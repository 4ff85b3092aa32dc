/**
 * Cells of the guide that a density sees: the pixels of the patch, then means over square blocks of
 * pixels around it. The blocks of ring r = 1, 2 have the side 2^r, so the window grows from 8 to 12
 * to 20 pixels for patches of 8 pixels.
 */
import type { GreyImage } from "../../images/grey-image.js";
import { extendByReflection } from "../../images/reflection.js";

/** A block of pixels; its place is relative to the corner of the patch. */
interface Cell {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

/** Returns the pixels beyond the patch on each side that `rings` rings of blocks cover. */
export function ringMargin(rings: number): number {
  let margin = 0;
  for (let r = 1; r <= rings; r++) margin += 2 ** r;
  return margin;
}

/** Tells whether blocks fill each of these rings around a patch. */
export function areRings(rings: number, size: number): boolean {
  if (!Number.isInteger(rings) || rings < 0) return false;
  for (let r = 1; r <= rings; r++) {
    // Few rings fit, so a number from a file cannot keep this loop busy.
    if ((size + 2 * ringMargin(r - 1)) % 2 ** r !== 0) return false;
  }
  return true;
}

export function cellCount(size: number, rings: number): number {
  let count = size * size;
  for (let r = 1; r <= rings; r++) {
    const [inner, outer] = [ringMargin(r - 1), ringMargin(r)].map((m) => (size + 2 * m) / 2 ** r);
    count += outer * outer - inner * inner;
  }
  return count;
}

export function cellsOf(size: number, rings: number): readonly Cell[] {
  const cells: Cell[] = [];
  const addGrid = (side: number, margin: number, hole: number): void => {
    for (let top = -margin; top < size + margin; top += side) {
      for (let left = -margin; left < size + margin; left += side) {
        const isInside = [top, left].every((at) => at >= -hole && at < size + hole);
        if (!isInside || hole < 0) cells.push({ left, top, side });
      }
    }
  };
  addGrid(1, 0, -1);
  for (let r = 1; r <= rings; r++) addGrid(2 ** r, ringMargin(r), ringMargin(r - 1));
  return cells;
}

/** Returns for each pose the cell that comes to the place of each cell (patch-classes.ts). */
export function cellPoses(size: number, rings: number): readonly Uint16Array[] {
  const cells = cellsOf(size, rings);
  const indices = new Map(cells.map(({ left, top, side }, k) => [[left, top, side].join(), k]));
  const flip = (at: number, side: number, turned: boolean): number =>
    turned ? size - at - side : at;
  return Array.from({ length: 8 }, (_, pose) =>
    Uint16Array.from(cells, ({ left, top, side }) => {
      const row = flip(top, side, (pose & 2) !== 0);
      const column = flip(left, side, (pose & 1) !== 0);
      const [from, to] = pose & 4 ? [row, column] : [column, row];
      return indices.get([from, to, side].join()) as number;
    }),
  );
}

/** Extends an image on each side by the pixels that the rings cover. */
export function withRings(image: GreyImage, rings: number): GreyImage {
  const margin = ringMargin(rings);
  if (margin === 0) return image;
  const all = { left: margin, top: margin, right: margin, bottom: margin };
  const { pixels, ...size } = extendByReflection(image, all);
  return { ...size, pixels: Float32Array.from(pixels) };
}

/** Means over blocks that begin at each pixel of an image. */
export class GuideCells {
  readonly count: number;
  /** Means over blocks of 1, 2, 4, … pixels. */
  private readonly means: readonly Float32Array[];
  /** Level of each cell, and its distance from the corner of the window. */
  private readonly levels: Uint8Array;
  private readonly offsets: Int32Array;
  private readonly width: number;
  private readonly stride: number;

  /** `wide` is the image with its margin. */
  constructor(wide: GreyImage, size: number, rings: number) {
    const margin = ringMargin(rings);
    const means = [wide.pixels];
    for (let r = 1; r <= rings; r++) means.push(halved(means[r - 1], wide.width, 2 ** (r - 1)));
    this.means = means;
    this.width = wide.width - 2 * margin;
    const cells = cellsOf(size, rings);
    this.count = cells.length;
    this.levels = Uint8Array.from(cells, ({ side }) => 31 - Math.clz32(side));
    this.offsets = Int32Array.from(
      cells,
      ({ left, top }) => (top + margin) * wide.width + left + margin,
    );
    this.stride = wide.width;
  }

  /** Returns the cells around the patches that begin at some pixels. */
  at(corners: Uint32Array): Float32Array {
    const out = new Float32Array(corners.length * this.count);
    corners.forEach((corner, k) => {
      this.copy(corner, out, k * this.count);
    });
    return out;
  }

  /** Writes the cells around the patch that begins at a pixel of the image. */
  copy(corner: number, out: Float32Array, at: number): void {
    const { width } = this;
    const start = Math.floor(corner / width) * this.stride + (corner % width);
    for (let k = 0; k < this.count; k++) {
      out[at + k] = this.means[this.levels[k]][start + this.offsets[k]];
    }
  }
}

/** Returns means over blocks of twice the side, which begin at each pixel. */
function halved(means: Float32Array, width: number, side: number): Float32Array {
  const down = side * width;
  const out = new Float32Array(means.length);
  for (let k = 0; k + down + side < means.length; k++) {
    out[k] = (means[k] + means[k + side] + means[k + down] + means[k + down + side]) / 4;
  }
  return out;
}
