/**
 * Inverse of a generalized logistic function, paper §6.3: the same curve for every component, which
 * makes intensities marginally Gaussian and removes their mean.
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
 * Near A it is a logarithm of x − A. Its inverse, x = A + (K − A)(1 + e^{−B(y − c)})^{−1/ν}, is the
 * generalized logistic function (Richards 1959), defined for every y. With R = K − A:
 *
 *   y          = c + (ν log v − log(1 − p)) / B
 *   y'         = ν / (B R v (1 − p)),   h = log y'
 *   ∂h/∂v      = (ν p/(1 − p) − 1) / v          (at fixed R)
 *   ∂y/∂ν      = log v / (B (1 − p)),           ∂h/∂ν = 1/ν + p log v/(1 − p)
 *   ∂y/∂B      = −(y − c)/B,                    ∂h/∂B = −1/B
 *   ∂y/∂A      = y' (v − 1),                    ∂h/∂A = (1 + ∂h/∂v (v − 1)) / R
 *   ∂y/∂K      = −y' v,                         ∂h/∂K = −(1 + ∂h/∂v v) / R
 *
 * so that ∂L/∂θ = Σ g ∂y/∂θ − ∂h/∂θ and ∂L/∂x = g y' − ∂h/∂v / R. Computed in Float64, with
 * logarithms that have the same bits on every engine.
 */
import { expected } from "../errors.js";
import type { FloatArray, Kernels, SampleResults } from "../kernels/kernels.js";
import { portableExp } from "../numbers/exponential.js";
import { portableLog } from "../numbers/logarithm.js";
import {
  type Checked,
  type Unchecked,
  checkDimension,
  checkFields,
  finiteCopy,
  requireEach,
  trusted,
} from "./checks.js";
import { sumOverLeaves } from "../kernels/reduction-tree.js";
import {
  type LeafShape,
  type SampleStageKind,
  type StageGradientResults,
  type StageInversionResults,
  type StageOperator,
  describedByDimension,
  markSolved,
} from "./stage-kind.js";

const names = ["lower", "upper", "rate", "asymmetry", "center"] as const;
type CurveParameters<T> = Readonly<Record<(typeof names)[number], T>>;

export interface Pointwise extends Checked, CurveParameters<FloatArray> {
  readonly kind: "pointwise";
  readonly dimension: number;
}

export interface PointwiseInput extends CurveParameters<number | ArrayLike<number>> {
  readonly dimension: number;
}

/**
 * Returns a checked pointwise transform.
 *
 * @example
 * ```js
 * import { pointwise } from "gaussianize";
 *
 * const curve = { lower: -0.01, upper: 1.2, rate: 1.7, asymmetry: 0.5, center: 0 };
 * console.log(pointwise({ dimension: 2, ...curve }).kind); // pointwise
 * ```
 */
export function pointwise(input: PointwiseInput): Pointwise {
  checkFields("the parameters of a pointwise transform", input, ["kind", "dimension", ...names]);
  const { dimension } = input;
  checkDimension(dimension);
  const take = (name: (typeof names)[number]): FloatArray => {
    const given = input[name];
    return finiteCopy(name, typeof given === "number" ? [given] : given, { length: 1 });
  };
  const curve: Unchecked<Pointwise> = {
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
  if (curve.upper[0] > curve.lower[0]) return trusted<Pointwise>(curve);
  throw expected("upper", `be greater than lower = ${curve.lower[0]}`, curve.upper[0]);
}

interface Curve {
  readonly A: number;
  readonly R: number;
  readonly B: number;
  readonly nu: number;
  readonly c: number;
}

/** Smaller than any fraction of an interval that Float64 can distinguish from 0. */
const smallestPart = 1e-18;
/** Smallest exponent that portableExp accepts. */
const lowestExponent = -700;

class PointwiseOperator implements StageOperator<Pointwise> {
  private curve: Curve;

  constructor(
    private readonly kernels: Kernels,
    private readonly dimension: number,
    stage: Pointwise,
    private readonly leafSize: number,
  ) {
    this.curve = curveOf(stage);
  }

  fits({ dimension }: Pointwise, { leafSize }: LeafShape): boolean {
    return dimension === this.dimension && leafSize === this.leafSize;
  }

  load(stage: Pointwise): void {
    this.curve = curveOf(stage);
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    const { dimension: n, curve } = this;
    const { A, R, B, nu, c } = curve;
    // log of ν/(B R), the common part of log y'.
    const constant = portableLog(nu / (B * R));
    const y = results.y ?? this.kernels.floats(count * n);
    for (let s = 0; s < count; s++) {
      let energy = 0;
      let logDeterminant = n * constant;
      let failed = -1;
      for (let i = 0, k = s * n; i < n; i++, k++) {
        const v = (x[k] - A) / R;
        if (!(v > 0 && v < 1)) {
          if (failed < 0) failed = i;
          y[k] = 0;
          continue;
        }
        const logV = portableLog(v);
        const logRest = portableLog(restOf(nu * logV));
        y[k] = c + (nu * logV - logRest) / B;
        logDeterminant -= logV + logRest;
        energy += y[k] * y[k];
      }
      results.energy[s] = energy / 2;
      results.logDeterminant[s] = failed < 0 ? logDeterminant : NaN;
      results.failedPivot[s] = failed;
    }
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
  ): void {
    const n = this.dimension;
    const y = results.y ?? this.kernels.floats(count * n);
    this.gaussianize(x, count, { ...results, y });
    const g = upstream ?? y;
    const { xGradient, sums, failedPivot } = results;
    xGradient?.fill(0, 0, count * n);
    const totals = this.kernels.floats(names.length);
    sumOverLeaves(this.kernels, count, this.leafSize, totals, (s, within) => {
      if (failedPivot[s] >= 0) return;
      for (let k = s * n; k < (s + 1) * n; k++) {
        const gradient = differentiate(this.curve, x[k], y[k], g[k], within);
        if (xGradient) xGradient[k] = gradient;
      }
    });
    names.forEach((name, k) => {
      if (sums) sums[name][0] = totals[k];
    });
  }

  synthesize(
    y: FloatArray,
    count: number,
    _settings: unknown,
    results: StageInversionResults,
  ): void {
    const { dimension: n, curve } = this;
    const { A, R, B, nu, c } = curve;
    const { x, converged, residual } = results;
    markSolved(count, results);
    for (let k = 0; k < count * n; k++) {
      const exponent = -softplus(-B * (y[k] - c)) / nu;
      x[k] = A + R * portableExp(Math.max(lowestExponent, exponent));
      const s = Math.floor(k / n);
      if (!isInside(x[k], curve) && !moveInside(x, k, curve)) converged[s] = 0;
      residual[s] = Math.max(residual[s], Math.abs(valueAt(x[k], curve) - y[k]));
    }
  }
}

function curveOf({ lower, upper, rate, asymmetry, center }: Pointwise): Curve {
  return { A: lower[0], R: upper[0] - lower[0], B: rate[0], nu: asymmetry[0], c: center[0] };
}

/** 1 − v^ν for v between 0 and 1, given ν log v. */
function restOf(exponent: number): number {
  // A series near v = 1, where v^ν may round to 1 although v does not.
  if (exponent > -1e-5) return -exponent * (1 + (exponent / 2) * (1 + exponent / 3));
  return exponent < lowestExponent ? 1 : 1 - portableExp(exponent);
}

/** Returns y at x; ±∞ outside the interval. */
function valueAt(x: number, { A, R, B, nu, c }: Curve): number {
  const v = (x - A) / R;
  if (!(v > 0 && v < 1)) return v < 1 ? -Infinity : Infinity;
  const logV = portableLog(v);
  const logRest = portableLog(restOf(nu * logV));
  return c + (nu * logV - logRest) / B;
}

function isInside(x: number, { A, R }: Curve): boolean {
  return x > A && x < A + R;
}

/**
 * Moves a value that was rounded to the border of the open interval to the next value inside.
 * Returns false if the interval is too narrow to contain one.
 */
function moveInside(x: FloatArray, k: number, curve: Curve): boolean {
  const { A, R } = curve;
  const isLow = !(x[k] > A);
  for (let part = smallestPart; !isInside(x[k], curve) && part < 1; part *= 2) {
    x[k] = isLow ? A + R * part : A + R * (1 - part);
  }
  return isInside(x[k], curve);
}

/** log(1 + e^w) */
function softplus(w: number): number {
  if (w > 40) return w;
  if (w < -40) return w < lowestExponent ? 0 : portableExp(w);
  return portableLog(1 + portableExp(w));
}

/** Adds the gradients of one value by A, K, B, ν, c to the sums; returns the gradient by x. */
function differentiate(
  { A, R, B, nu, c }: Curve,
  x: number,
  y: number,
  g: number,
  sums: Float64Array,
): number {
  const v = (x - A) / R;
  const logV = portableLog(v);
  const rest = restOf(nu * logV);
  const p = 1 - rest;
  const slope = nu / (B * R * v * rest);
  const hv = ((nu * p) / rest - 1) / v;
  sums[0] += g * slope * (v - 1) - (1 + hv * (v - 1)) / R;
  sums[1] += -g * slope * v + (1 + hv * v) / R;
  sums[2] += (-g * (y - c)) / B + 1 / B;
  sums[3] += (g * logV) / (B * rest) - 1 / nu - (p * logV) / rest;
  sums[4] += g;
  return g * slope - hv / R;
}

export const pointwiseKind: SampleStageKind<Pointwise> = {
  ...describedByDimension,
  kind: "pointwise",
  make: pointwise,
  groups: names,
  shapes: () => Object.fromEntries(names.map((name) => [name, [1]])),
  invertibleBecause: "its curve rises from −∞ to ∞ between lower and upper",
  operations: ({ dimension: n }) => n * n,
  open: (kernels, stage, { leafSize }) =>
    new PointwiseOperator(kernels, stage.dimension, stage, leafSize),
  sumLengths: () => Object.fromEntries(names.map((name) => [name, 1])),
  common: () => ({ inverse: null, logDeterminant: 0 }),
  finishGradient: (_, sums) => sums,
  failure: ({ lower, upper }, component) =>
    `component ${component} is not between ${lower[0]} and ${upper[0]}`,
};
