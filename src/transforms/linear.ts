/** y = H x, an invertible linear map: whitening (whitening.ts), independent components (ica.ts), or any other. */
import type { FloatArray } from "../kernels/kernels.js";
import {
  checkDimension,
  checkFields,
  finiteCopy,
  markChecked,
  requireNonSingular,
} from "./checks.js";

export interface Linear {
  readonly kind: "linear";
  readonly dimension: number;
  /** N×N, non-singular. */
  readonly H: FloatArray;
}

export interface LinearInput {
  readonly dimension: number;
  readonly H: ArrayLike<number>;
}

/** A checked linear transform, in a copy that is not to be changed afterwards. */
export function linear(input: LinearInput): Linear {
  checkFields("the parameters of a linear transform", input, ["kind", "dimension", "H"]);
  const { dimension } = input;
  checkDimension(dimension);
  const H = finiteCopy("H", input.H, { length: dimension * dimension, matrix: dimension });
  requireNonSingular("H", H, dimension);
  return markChecked({ kind: "linear", dimension, H });
}
