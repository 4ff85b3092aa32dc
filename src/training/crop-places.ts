/**
 * Patches of crops: an estimate of a pixel is the mean over all patches that it is in, and its
 * error is divided among them.
 */
import type { FloatArray } from "../kernels/kernels.js";

/** From one patch of a crop to the next: they overlap by half. */
export function cropStride(size: number): number {
  return Math.max(1, Math.floor(size / 2));
}

/** Of crops with so many patches of this side along their own. */
export function cropSide(size: number, patchesAcross: number): number {
  return size + (patchesAcross - 1) * cropStride(size);
}

/** Patches in crops. */
export interface CropLayout {
  /** Side of a patch. */
  readonly patch: number;
  /** Side of the crops. */
  readonly crop: number;
  /** Pixels from one patch of a crop to the next. */
  readonly stride: number;
}

/** All patches of some crops. */
export function cropPatches(crops: FloatArray, layout: CropLayout): Float32Array {
  return new CropPlaces(layout).patchesOf(crops);
}

/** Where the patches of a crop lie, and which of its pixels count. */
export class CropPlaces {
  readonly area: number;
  /** Of the top left pixel of each patch. */
  readonly corners: Uint32Array;
  /** Of the first pixel of each row of each patch. */
  private readonly rows: Uint32Array;
  /**
   * How many patches a pixel is in; 0 where that are fewer than half of the most, as no pixel
   * within a picture has.
   */
  private readonly counts: Float32Array;
  private readonly counted: number;

  constructor(private readonly options: CropLayout) {
    const { patch, crop, stride } = options;
    this.area = crop * crop;
    const corners: number[] = [];
    for (let top = 0; top + patch <= crop; top += stride) {
      for (let left = 0; left + patch <= crop; left += stride) corners.push(top * crop + left);
    }
    this.corners = Uint32Array.from(corners);
    this.rows = Uint32Array.from(
      corners.flatMap((corner) => Array.from({ length: patch }, (_, row) => corner + row * crop)),
    );
    const covered = new Float32Array(this.area);
    for (const start of this.rows) {
      for (let at = start; at < start + patch; at++) covered[at]++;
    }
    const most = Math.max(...covered);
    this.counts = covered.map((count) => (count < most / 2 ? 0 : count));
    this.counted = this.counts.filter((count) => count > 0).length;
  }

  /** That count, of all crops. */
  pixels(crops: FloatArray): number {
    return (this.counted * crops.length) / this.area;
  }

  patchesOf(crops: FloatArray): Float32Array {
    const { patch } = this.options;
    const patches = new Float32Array((crops.length / this.area) * this.rows.length * patch);
    let to = 0;
    this.eachRow(crops, (start) => {
      for (let at = start; at < start + patch; at++) patches[to++] = crops[at];
    });
    return patches;
  }

  /**
   * The loss, and for each pixel of each patch what it takes part in: the error of the pixel,
   * divided among its patches.
   */
  errorOf(
    estimates: FloatArray,
    clean: FloatArray,
  ): { readonly loss: number; readonly errors: Float32Array } {
    const { patch } = this.options;
    const sums = new Float32Array(clean.length);
    let from = 0;
    this.eachRow(clean, (start) => {
      for (let at = start; at < start + patch; at++) sums[at] += estimates[from++];
    });
    let squares = 0;
    const shares = sums.map((sum, at) => {
      const count = this.counts[at % this.area];
      if (count === 0) return 0;
      const error = sum / count - clean[at];
      squares += error * error;
      return error / count;
    });
    return { loss: squares / this.pixels(clean), errors: this.patchesOf(shares) };
  }

  private eachRow(crops: FloatArray, visit: (start: number) => void): void {
    for (let first = 0; first < crops.length; first += this.area) {
      for (const row of this.rows) visit(first + row);
    }
  }
}
