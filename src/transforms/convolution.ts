/**
 * Invertible periodic convolution of fields (convolutional ICA, Ballé & Simoncelli 2014; paper
 * §4.3):
 *
 *   y_p = Σ_q F_q x_{p+q}
 *
 *   symbol  variable  shape                     meaning
 *   x, y    values    locations × C             fields (field.ts), C = maps
 *   q       taps      left … left + width − 1 along rows, top … top + height − 1 along columns
 *   F_q     weights   taps × C × C              [tap][out][in], taps row by row
 *
 * A critically sampled bank of C = s² filters with stride s is a convolution of the blocks of an
 * image (filter-bank.ts). Whether it is invertible depends on the size of the field, too
 * (determinant.ts).
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import {
  type Checked,
  type Unchecked,
  checkDimension,
  checkFields,
  finiteCopy,
  isChecked,
  trusted,
} from "./checks.js";
import type { StageKind } from "./stage-kind.js";

/** Offsets q of a convolution. */
export interface Taps {
  readonly width: number;
  readonly height: number;
  /** Offset of the first column. */
  readonly left: number;
  /** Offset of the first row. */
  readonly top: number;
}

export interface Convolution extends Checked {
  readonly kind: "convolution";
  /** C, the number of maps of the input and output fields. */
  readonly maps: number;
  readonly taps: Taps;
  /** F_q[o][i] of tap t = (row of q)·taps.width + column is weights[(t·C + o)·C + i]. */
  readonly weights: FloatArray;
}

export interface ConvolutionInput {
  readonly maps: number;
  readonly taps: Taps;
  readonly weights: ArrayLike<number>;
}

const farthest = 4096;

/**
 * Returns a checked convolution. It holds a copy of the weights, which must not be changed.
 *
 * @example
 * ```js
 * import { convolution } from "gaussianize";
 *
 * // Weights are [tap][out][in]; taps reach from `left` and `top`.
 * const taps = { width: 2, height: 1, left: -1, top: 0 };
 * console.log(convolution({ maps: 1, taps, weights: [0.5, 1] }).weights); // [ 0.5, 1 ]
 * ```
 */
export function convolution(input: ConvolutionInput): Convolution {
  const fields = ["kind", "maps", "taps", "weights"] as const;
  checkFields("the parameters of a convolution", input, fields);
  const { maps } = input;
  checkDimension(maps, "maps");
  const taps = checkedTaps(input.taps);
  const length = taps.width * taps.height * maps * maps;
  const weights = finiteCopy("weights", input.weights, { length });
  return trusted<Convolution>({ kind: "convolution", maps, taps, weights });
}

function checkedTaps(input: Taps): Taps {
  checkFields("the taps", input, ["width", "height", "left", "top"]);
  const { width, height, left, top } = input;
  for (const [side, value] of Object.entries({ width, height })) {
    if (Number.isInteger(value) && value > 0 && value <= farthest) continue;
    throw expected(`the ${side} of the taps`, `be an integer from 1 to ${farthest}`, value);
  }
  for (const [side, value] of Object.entries({ left, top })) {
    if (Number.isInteger(value) && Math.abs(value) <= farthest) continue;
    const rule = `be an integer from ${-farthest} to ${farthest}`;
    throw expected(`the ${side} of the taps`, rule, value);
  }
  return { width, height, left, top };
}

export const convolutionKind: StageKind<Convolution, Omit<Unchecked<Convolution>, "weights">> = {
  kind: "convolution",
  make: convolution,
  groups: ["weights"],
  describe: ({ kind, maps, taps }) => ({ kind, maps, taps }),
  checkDescription(value, name) {
    checkFields(name, value, ["kind", "maps", "taps"]);
    const { maps, taps } = value as unknown as Convolution;
    checkDimension(maps, "maps");
    return { kind: "convolution", maps, taps: checkedTaps(taps) };
  },
  components: ({ maps }) => maps,
  shapes: ({ maps, taps }) => ({ weights: [taps.height, taps.width, maps, maps] }),
};

/** Returns a checked convolution itself, or a checked copy of any other record. */
export function requireConvolution(given: Unchecked<Convolution>): Convolution {
  const kind = (given as Partial<Convolution> | null | undefined)?.kind;
  if (kind !== "convolution") throw expected("a convolution", "be given", given);
  return isChecked(given) ? (given as Convolution) : convolution(given);
}

/** Returns the index of the tap with offset 0; −1 if there is none. */
export function middleOf({ width, height, left, top }: Taps): number {
  const isInside = left <= 0 && -left < width && top <= 0 && -top < height;
  return isInside ? -top * width - left : -1;
}

export interface ConvolutionStart {
  readonly maps: number;
  /** Number of taps along rows; the middle one has offset 0. */
  readonly width: number;
  /** Number of taps along columns; defaults to `width`. */
  readonly height?: number;
  /** C×C weights of the middle tap, such as a whitening of the blocks; default: the identity. */
  readonly H?: ArrayLike<number>;
}

/** Returns the start of a fit in Float32: one nonzero tap, invertible on fields of any size. */
export function startingConvolution(start: ConvolutionStart): Convolution {
  checkFields("the start of a convolution", start, ["maps", "width", "height", "H"]);
  const { maps, width, height = width, H } = start;
  checkDimension(maps, "maps");
  const [left, top] = [-Math.floor(width / 2), -Math.floor(height / 2)];
  const taps = checkedTaps({ width, height, left, top });
  const square = maps * maps;
  const weights = new Float32Array(width * height * square);
  const middle = weights.subarray(middleOf(taps) * square).subarray(0, square);
  if (H) middle.set(finiteCopy("H", H, { length: square, matrix: maps }));
  else for (let c = 0; c < maps; c++) middle[c * maps + c] = 1;
  return convolution({ maps, taps, weights });
}
