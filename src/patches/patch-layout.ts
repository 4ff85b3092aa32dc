/** How a square of pixels becomes a sample. */
import { expected } from "../errors.js";

export interface PatchLayout {
  /** Side in pixels. */
  readonly size: number;
  /**
   * Subtracts the mean of the patch. The pixels then depend on each other, so the last one is left out: size² − 1 dimensions, as
   * in the 63-dimensional BSDS protocol (Uria, Murray & Larochelle 2013).
   */
  readonly removeMean: boolean;
}

const largestSize = 64;

export function patchDimension({ size, removeMean }: PatchLayout): number {
  if (!Number.isInteger(size) || size < 1 || size > largestSize) {
    throw expected("the side of a patch", `be an integer from 1 to ${largestSize}`, size);
  }
  const dimension = size * size - (removeMean ? 1 : 0);
  if (dimension < 1) throw expected("the side of a patch", "be at least 2 without its mean", size);
  return dimension;
}

/** Rows of size² pixels become rows of samples; the same array where nothing is removed. */
export function patchesToSamples(patches: Float32Array, layout: PatchLayout): Float32Array {
  const n = patchDimension(layout);
  if (!layout.removeMean) return patches;
  const area = n + 1;
  const samples = new Float32Array((patches.length / area) * n);
  for (let from = 0, to = 0; from < patches.length; from += area, to += n) {
    let sum = 0;
    for (let k = 0; k < area; k++) sum += patches[from + k];
    const mean = sum / area;
    for (let k = 0; k < n; k++) samples[to + k] = patches[from + k] - mean;
  }
  return samples;
}

/** The way back to size² pixels, up to the mean, which is then 0: the last pixel is what the others leave. */
export function samplesToPatches(samples: Float32Array, layout: PatchLayout): Float32Array {
  const n = patchDimension(layout);
  if (!layout.removeMean) return samples;
  const area = n + 1;
  const patches = new Float32Array((samples.length / n) * area);
  for (let from = 0, to = 0; from < samples.length; from += n, to += area) {
    let sum = 0;
    for (let k = 0; k < n; k++) {
      patches[to + k] = samples[from + k];
      sum += samples[from + k];
    }
    patches[to + n] = -sum;
  }
  return patches;
}
