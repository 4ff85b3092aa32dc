/** The constraints of paper §3.2, applied after every step of the optimiser. */
import { expected } from "../errors.js";
import { portableLog } from "../numbers/logarithm.js";
import { isUntied, visitEntries } from "../transforms/gdn-structures.js";
import { type Gdn, ownExponents } from "../transforms/gdn.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import type { Affine } from "../transforms/affine.js";
import type { Pointwise } from "../transforms/pointwise.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { ImageStage } from "../transforms/image-cascade.js";
import type { FittedTransform } from "../transforms/side-by-side.js";

export interface BoundOptions {
  /**
   * Keeps q = max ε_i α_ij below 1, which bounds ‖(I − M)⁻¹‖ and proves invertibility for every
   * structure. The paper's constraint proves it too, except for the structure "general"
   * (docs/how-it-works.md). Default false.
   */
  readonly certified?: boolean;
  /**
   * Largest ε_i α_ii, or with `certified` the largest q; default 0.999. |y| grows like
   * |z|^(1 − q) for large |z|: the closer to 1, the farther from all data are samples drawn from
   * the tails of the normal distribution.
   */
  readonly exponentBound?: number;
  /** Lowest and highest value that the intervals of pointwise stages must contain. */
  readonly holds?: readonly [lowest: number, highest: number];
}

export const boundFields = ["certified", "exponentBound", "holds"] as const;

/** Keeps D = β + … away from 0, where its logarithm is undefined. */
const smallestBeta = 1e-6;
/** With ε_i α_ii = 1, |y_i| would be bounded and the map not onto. */
const largestExponentProduct = 0.999;
/** Smallest entry of U and V: a column of zeros in both has no gradient and would stay 0. */
const smallestFactor = 1e-6;
/** Smallest weight of a component, relative to the largest: a weight of 0 has no logarithm. */
const smallestWeight = 1e-8;
/** Smallest |scale|: 0 has no inverse. */
const smallestScale = 1e-6;
/** Margin at both ends of an interval, relative to the range: its ends have no density. */
const roomInInterval = 1e-4;
/** Smallest value of the constants of a curve that must be positive. */
const smallestCurveConstant = 1e-6;

/**
 * Moves the parameters of a transform within their bounds, in place.
 *
 * @example
 * ```js
 * import { projectOntoBounds } from "gaussianize/training";
 * import { startingGdn } from "gaussianize/transforms";
 *
 * const layer = startingGdn({ structure: "radial", dimension: 2 });
 * layer.beta[0] = -1;
 * projectOntoBounds(layer);
 * console.log(layer.beta[0] > 0); // true
 * ```
 */
export function projectOntoBounds(transform: FittedTransform, options: BoundOptions = {}): void {
  checkFields("the bounds", options, boundFields);
  keepWithinBounds(transform, options);
}

/** Like {@link projectOntoBounds}, with options that may have other fields. */
export function keepWithinBounds(transform: FittedTransform, options: BoundOptions): void {
  const { exponentBound = largestExponentProduct } = options;
  if (!(exponentBound > 0 && exponentBound < 1)) {
    throw expected("exponentBound", "be above 0 and below 1", exponentBound);
  }
  if (transform.kind === "side-by-side") keepWeights(transform.logWeights);
  for (const stage of stagesOf(transform)) {
    (projections[stage.kind] as (stage: ImageStage, options: BoundOptions) => void)(stage, options);
  }
}

/** Keeps every weight of a mixture above about `smallestWeight`. */
function keepWeights(logWeights: FloatArray): void {
  const least = Math.max(...logWeights) + portableLog(smallestWeight);
  for (let k = 0; k < logWeights.length; k++) logWeights[k] = Math.max(logWeights[k], least);
}

const unbounded = (): void => undefined;
/** Every kind of stage needs an entry to compile. */
const projections: {
  readonly [K in ImageStage["kind"]]: (
    stage: Extract<ImageStage, { readonly kind: K }>,
    options: BoundOptions,
  ) => void;
} = {
  gdn: projectGdn,
  // A step to a singular matrix is rejected instead.
  linear: unbounded,
  affine: projectAffine,
  pointwise: projectPointwise,
  coupling: unbounded,
  convolution: unbounded,
};

/** α ≥ 1, β > 0, γ ≥ 0, 0 ≤ ε_i < 1/α_ii; with `certified` ε_i < 1/α_ij for every pooled j. */
function projectGdn(
  layer: Gdn,
  { certified = false, exponentBound = largestExponentProduct }: BoundOptions,
): void {
  raiseTo(layer.alpha, 1);
  raiseTo(layer.beta, smallestBeta);
  raiseToZero(layer.gamma);
  if (layer.structure === "low-rank") {
    raiseTo(layer.gamma.subarray(layer.dimension), smallestFactor);
  }
  raiseTo(layer.epsilon, 0);
  const exponents = certified ? largestExponents(layer) : ownExponents(layer).value;
  visitEntries(layer, "epsilon", (i, source) => {
    if (source < 0) return;
    const bound = exponentBound / exponents(i);
    layer.epsilon[source] = Math.min(bound, layer.epsilon[source]);
  });
}

/** Returns the largest α_ij that row i may pool: any for a full γ, its own for a diagonal γ. */
function largestExponents(layer: Gdn): (i: number) => number {
  const own = ownExponents(layer).value;
  // Tied exponents are all the same; a diagonal γ pools no other exponent.
  if (!isUntied(layer.structure) || layer.structure === "marginal") return own;
  const { alpha, dimension: n } = layer;
  const largestOf = (values: FloatArray): number => {
    let largest = 0;
    for (const value of values) largest = Math.max(largest, value);
    return largest;
  };
  if (layer.structure === "column" || layer.structure === "low-rank") {
    const largest = largestOf(alpha);
    return () => largest;
  }
  return (i) => largestOf(alpha.subarray(i * n, (i + 1) * n));
}

function projectAffine({ scale }: Affine): void {
  for (let k = 0; k < scale.length; k++) {
    if (Math.abs(scale[k]) < smallestScale)
      scale[k] = scale[k] < 0 ? -smallestScale : smallestScale;
  }
}

function projectPointwise(
  { lower, upper, rate, asymmetry }: Pointwise,
  { holds }: BoundOptions,
): void {
  if (holds) {
    const [lowest, highest] = holds;
    const room = roomInInterval * (highest - lowest);
    lower[0] = Math.min(lower[0], lowest - room);
    raiseTo(upper, highest + room);
  }
  raiseTo(rate, smallestCurveConstant);
  raiseTo(asymmetry, smallestCurveConstant);
  // Wide enough for Float32 to tell the ends apart.
  raiseTo(upper, lower[0] + smallestCurveConstant * Math.max(1, Math.abs(lower[0])));
}

/** NaN stays, and −0 becomes 0. Without a branch: half of the weights may be at this bound. */
function raiseToZero(values: FloatArray): void {
  for (let k = 0; k < values.length; k++) values[k] = (values[k] + Math.abs(values[k])) / 2;
}

function raiseTo(values: FloatArray, least: number): void {
  // Few values are at the bound. NaN stays, and −0 becomes 0.
  for (let k = 0; k < values.length; k++) if (values[k] <= least) values[k] = least;
}
