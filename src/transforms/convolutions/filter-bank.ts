/**
 * Critically sampled bank of K = s² filters, as a convolution of blocks:
 *
 *   z_k(i, j) = Σ_ab f_k(a, b) x(i s + a, j s + b)
 *
 *   symbol  variable  shape            meaning
 *   f_k     filters   K × L × L        correlated with the image, not flipped
 *   L       support   any
 *   s       stride    step from place to place, along rows and columns
 *   i, j    –         row and column of a block
 *
 * The polyphase components of f_k are its L/s × L/s blocks: row a = s·t + a′ of the filter is row
 * a′ of the block at offset t, so F_q[k] is the block of f_k at q. Filters are padded with 0 at
 * their right and lower ends to a multiple of s.
 */
import { expected } from "../../errors.js";
import { checkFields, finiteCopy } from "../checks.js";
import { type Convolution, convolution, requireConvolution } from "../convolution.js";

export interface FilterBankOptions {
  /** s; the number of filters is s². */
  readonly stride: number;
  /** L: the filters are L×L. */
  readonly support: number;
  /**
   * Offset of the first column of the filters in blocks, negative to the left; default 0.
   */
  readonly left?: number;
  /** Offset of the first row in blocks; default 0. */
  readonly top?: number;
}

/** Returns a convolution from filters (K × L × L). */
export function filterBank(filters: ArrayLike<number>, options: FilterBankOptions): Convolution {
  checkFields("the options", options, ["stride", "support", "left", "top"]);
  const { stride, support, left = 0, top = 0 } = options;
  for (const [name, value] of Object.entries({ stride, support })) {
    if (Number.isInteger(value) && value > 0) continue;
    throw expected(`the ${name}`, "be a positive integer", value);
  }
  const maps = stride * stride;
  const values = finiteCopy("filters", filters, { length: maps * support * support });
  const side = Math.ceil(support / stride);
  const length = side * side * maps * maps;
  const isSingle = values instanceof Float32Array;
  const weights = isSingle ? new Float32Array(length) : new Float64Array(length);
  const layout = { width: side, stride };
  for (let k = 0; k < maps; k++) {
    for (let a = 0; a < support; a++) {
      for (let b = 0; b < support; b++) {
        weights[placeOf(layout, k, a, b)] = values[(k * support + a) * support + b];
      }
    }
  }
  return convolution({ maps, taps: { width: side, height: side, left, top }, weights });
}

export interface Filters {
  /** Size of each filter in pixels. */
  readonly width: number;
  readonly height: number;
  /** maps × height × width */
  readonly filters: Float64Array;
}

/** Returns the filters of a convolution of blocks, one per map, with their padding. */
export function filtersOf(given: Convolution): Filters {
  const { maps, taps, weights } = requireConvolution(given);
  const stride = Math.round(Math.sqrt(maps));
  if (stride * stride !== maps) throw expected("the maps of the convolution", "be a square", maps);
  const [width, height] = [taps.width * stride, taps.height * stride];
  const filters = new Float64Array(maps * width * height);
  const layout = { width: taps.width, stride };
  for (let k = 0; k < maps; k++) {
    for (let a = 0; a < height; a++) {
      for (let b = 0; b < width; b++) {
        filters[(k * height + a) * width + b] = weights[placeOf(layout, k, a, b)];
      }
    }
  }
  return { width, height, filters };
}

interface BlockLayout {
  /** Number of taps along rows. */
  readonly width: number;
  readonly stride: number;
}

/** Returns the index of row a, column b of filter k among the weights. */
function placeOf({ width, stride }: BlockLayout, k: number, a: number, b: number): number {
  const maps = stride * stride;
  const tap = Math.floor(a / stride) * width + Math.floor(b / stride);
  return (tap * maps + k) * maps + (a % stride) * stride + (b % stride);
}
