/**
 * The inverse of a generalized logistic function, paper §6.3: the same curve for every component, which makes intensities
 * marginally Gaussian and removes their mean.
 *
 *   v = (x − A)/(K − A),   p = v^ν,   y = c + (log p − log(1 − p)) / B
 *
 *   symbol  field       values  constraint
 *   A       lower       1       below every x
 *   K       upper       1       above every x
 *   B       rate        1       > 0
 *   ν       asymmetry   1       > 0; 1 is the logit
 *   c       center      1
 *
 * Near A it is a logarithm of x − A. Its inverse, x = A + (K − A)(1 + e^{−B(y − c)})^{−1/ν}, is the generalized logistic
 * function (Richards 1959) and takes every y.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { checkDimension, checkFields, finiteCopy, markChecked, requireEach } from "./checks.js";

export interface Pointwise {
  readonly kind: "pointwise";
  readonly dimension: number;
  readonly lower: FloatArray;
  readonly upper: FloatArray;
  readonly rate: FloatArray;
  readonly asymmetry: FloatArray;
  readonly center: FloatArray;
}

type Scalar = number | ArrayLike<number>;

export interface PointwiseInput {
  readonly dimension: number;
  readonly lower: Scalar;
  readonly upper: Scalar;
  readonly rate: Scalar;
  readonly asymmetry: Scalar;
  readonly center: Scalar;
}

const names = ["lower", "upper", "rate", "asymmetry", "center"] as const;

/** A checked pointwise transform. */
export function pointwise(input: PointwiseInput): Pointwise {
  checkFields("the parameters of a pointwise transform", input, ["kind", "dimension", ...names]);
  const { dimension } = input;
  checkDimension(dimension);
  const take = (name: (typeof names)[number]): FloatArray => {
    const given = input[name];
    return finiteCopy(name, typeof given === "number" ? [given] : given, { length: 1 });
  };
  const curve: Pointwise = {
    kind: "pointwise",
    dimension,
    lower: take("lower"),
    upper: take("upper"),
    rate: take("rate"),
    asymmetry: take("asymmetry"),
    center: take("center"),
  };
  for (const name of ["rate", "asymmetry"] as const) {
    requireEach(name, curve[name], { length: 1 }, (value) => value > 0, "be greater than 0");
  }
  if (curve.upper[0] > curve.lower[0]) return markChecked(curve);
  throw expected("upper", `be greater than lower = ${curve.lower[0]}`, curve.upper[0]);
}
