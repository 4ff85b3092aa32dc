/** y_i = s_i x_i + b_i: moves and scales each component, so that a mean can be removed or learned. */
import type { FloatArray } from "../kernels/kernels.js";
import { checkDimension, checkFields, finiteCopy, markChecked, requireEach } from "./checks.js";

export interface Affine {
  readonly kind: "affine";
  readonly dimension: number;
  /** N, none of them 0. */
  readonly scale: FloatArray;
  /** N */
  readonly shift: FloatArray;
}

export interface AffineInput {
  readonly dimension: number;
  /** Left out: 1 throughout. */
  readonly scale?: ArrayLike<number>;
  /** Left out: 0 throughout. */
  readonly shift?: ArrayLike<number>;
}

/** The smallest normal Float32, whose reciprocal is still finite. */
const smallestScale = 1.1754943508222875e-38;

/** A checked affine transform, in copies that are not to be changed afterwards. */
export function affine(input: AffineInput): Affine {
  checkFields("the parameters of an affine transform", input, [
    "kind",
    "dimension",
    "scale",
    "shift",
  ]);
  const { dimension } = input;
  checkDimension(dimension);
  const shape = { length: dimension };
  const scale = finiteCopy("scale", input.scale ?? new Float64Array(dimension).fill(1), shape);
  const shift = finiteCopy("shift", input.shift ?? new Float64Array(dimension), shape);
  const isUsable = (value: number): boolean => Math.abs(value) >= smallestScale;
  requireEach("scale", scale, shape, isUsable, `be at least ${smallestScale} in size`);
  return markChecked({ kind: "affine", dimension, scale, shift });
}
