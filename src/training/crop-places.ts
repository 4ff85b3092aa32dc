/**
 * Overlapping patches of crops. The estimate of a pixel is the mean over all patches that contain
 * it, and its error is divided among them.
 */
import type { FloatArray } from "../kernels/kernels.js";

/** Returns the distance between two patches of a crop, which overlap by half. */
export function cropStride(size: number): number {
  return Math.max(1, Math.floor(size / 2));
}

/** Returns the side of crops with this many patches of side `size` along each side. */
export function cropSide(size: number, patchesAcross: number): number {
  return size + (patchesAcross - 1) * cropStride(size);
}

export interface CropLayout {
  /** Side of a patch. */
  readonly patch: number;
  /** Side of the crops. */
  readonly crop: number;
  /** Pixels from one patch of a crop to the next. */
  readonly stride: number;
}

/** Places of the patches in a crop, and the pixels that count. */
export class CropPlaces {
  readonly area: number;
  /** Index of the top left pixel of each patch. */
  readonly corners: Uint32Array;
  /** Index of the first pixel of each row of each patch. */
  private readonly rows: Uint32Array;
  /** Number of patches that contain a pixel; 0 near the edges, where it is below half the most. */
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

  /** Returns the number of pixels that count in all crops. */
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

  /** Returns the loss, and for each pixel of each patch its share of the error of the pixel. */
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

  /**
   * Returns the same for weighted means, Σ ω x / Σ ω over the patches that contain a pixel, and the
   * derivatives of half the sum of squared errors by the weights.
   */
  weightedErrorOf(
    estimates: FloatArray,
    weights: FloatArray,
    clean: FloatArray,
  ): { readonly squares: number; readonly errors: Float32Array; readonly byWeight: Float32Array } {
    const { patch } = this.options;
    const [sums, totals] = [new Float32Array(clean.length), new Float32Array(clean.length)];
    let from = 0;
    this.eachRow(clean, (start) => {
      for (let at = start; at < start + patch; at++, from++) {
        sums[at] += weights[from] * estimates[from];
        totals[at] += weights[from];
      }
    });
    let squares = 0;
    const shares = new Float32Array(clean.length);
    for (let at = 0; at < clean.length; at++) {
      if (this.counts[at % this.area] === 0) continue;
      sums[at] /= totals[at];
      const error = sums[at] - clean[at];
      squares += error * error;
      shares[at] = error / totals[at];
    }
    const errors = new Float32Array(estimates.length);
    const byWeight = new Float32Array(estimates.length);
    from = 0;
    this.eachRow(clean, (start) => {
      for (let at = start; at < start + patch; at++, from++) {
        errors[from] = shares[at] * weights[from];
        byWeight[from] = shares[at] === 0 ? 0 : shares[at] * (estimates[from] - sums[at]);
      }
    });
    return { squares, errors, byWeight };
  }

  private eachRow(crops: FloatArray, visit: (start: number) => void): void {
    for (let first = 0; first < crops.length; first += this.area) {
      for (const row of this.rows) visit(first + row);
    }
  }
}
