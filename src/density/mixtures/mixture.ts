/**
 * Mixtures of densities as plain records, which structured clone can send to workers:
 *
 *   p(x) = Σ_k π_k p_k(x)        mixture: π_k > 0, Σ π_k = 1
 *   p(x) = ⅛ Σ_g p(g x)          symmetric mixture: over the 8 poses g of a square patch
 *
 *   symbol  variable    shape
 *   π       weights     K
 *   p_k     components  K, each a transform or a mixture
 *   g       poses.ts    permutation of the side² pixels, |det g| = 1
 *
 * A mixture is a density but not a transform: it has no single y = g(x).
 */
import { expected } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { type PatchLayout, patchDimension } from "../../patches/patch-layout.js";
import { requireChecked } from "../../transforms/checked-transform.js";
import {
  type Checked,
  type Unchecked,
  checkFields,
  finiteCopy,
  isChecked,
  requireEach,
  trusted,
} from "../../transforms/checks.js";
import type { Transform } from "../../transforms/transform.js";
import { poseCount } from "./poses.js";

export interface Mixture extends Checked {
  readonly kind: "mixture";
  /** N of all components. */
  readonly dimension: number;
  /** K positive values; their sum differs from 1 by rounding only. */
  readonly weights: FloatArray;
  readonly components: readonly MixtureComponent[];
}

export interface SymmetricMixture extends Checked {
  readonly kind: "symmetric-mixture";
  /** N = side², or side² − 1 without the mean. */
  readonly dimension: number;
  /** Side of the patch in pixels. */
  readonly side: number;
  /** Whether samples are patches without their mean and their last pixel. */
  readonly removeMean: boolean;
  readonly density: MixtureComponent;
}

export type AnyMixture = Mixture | SymmetricMixture;
/** A density of samples: a transform or a mixture. */
export type MixtureComponent = Transform | AnyMixture;

export interface MixtureInput {
  readonly components: readonly Unchecked<MixtureComponent>[];
  /** One positive value per component, with the sum 1; default: equal weights. */
  readonly weights?: ArrayLike<number>;
}

export interface SymmetricMixtureInput {
  readonly side: number;
  /** Default false. */
  readonly removeMean?: boolean;
  readonly density: Unchecked<MixtureComponent>;
}

/** Deepest nesting of mixtures, and most components after the nesting is resolved. */
export const deepest = 8;
const mostLeaves = 1024;
/** Largest difference of the sum of weights from 1: Float32 rounds each to 24 bits. */
const weightTolerance = 1e-6;

/**
 * Returns a checked mixture of densities of equal dimension.
 *
 * @example
 * ```js
 * import { affine, mixture } from "gaussianize";
 *
 * const components = [affine({ dimension: 1 }), affine({ dimension: 1, scale: [0.2] })];
 * console.log(mixture({ components, weights: [0.7, 0.3] }).dimension); // 1
 * ```
 */
export function mixture(input: MixtureInput): Mixture {
  return makeMixture(input, 1);
}

/**
 * Returns the checked mixture of a density of square patches over the 8 symmetries of the square.
 *
 * @example
 * ```js
 * import { affine, symmetricMixture } from "gaussianize";
 *
 * const density = affine({ dimension: 4, shift: [1, 0, 0, 0] });
 * console.log(symmetricMixture({ side: 2, density }).kind); // symmetric-mixture
 * ```
 */
export function symmetricMixture(input: SymmetricMixtureInput): SymmetricMixture {
  return makeSymmetric(input, 1);
}

export function isMixture(record: { readonly kind: string }): record is AnyMixture {
  return record.kind === "mixture" || record.kind === "symmetric-mixture";
}

/** Returns a checked mixture itself, or a checked copy of any other record. */
export function requireMixture(given: Unchecked<AnyMixture>): AnyMixture {
  return madeFrom(given, 1);
}

function madeFrom(given: Unchecked<AnyMixture>, level: number): AnyMixture {
  if (isChecked(given)) return given as AnyMixture;
  if (level > deepest) throw expected("a mixture", `be nested at most ${deepest} deep`, given);
  const made = given.kind === "mixture" ? makeMixture(given, level) : makeSymmetric(given, level);
  if (given.dimension === made.dimension) return made;
  const rule = `be that of its components, ${made.dimension}`;
  throw expected("the dimension of a mixture", rule, given.dimension);
}

function requireComponent(given: Unchecked<MixtureComponent>, level: number): MixtureComponent {
  const kind = (given as Partial<MixtureComponent> | null | undefined)?.kind;
  return kind === "mixture" || kind === "symmetric-mixture"
    ? madeFrom(given as Unchecked<AnyMixture>, level)
    : requireChecked(given as Transform);
}

function makeMixture(input: MixtureInput, level: number): Mixture {
  const fields = ["kind", "dimension", "weights", "components"] as const;
  checkFields("the parameters of a mixture", input, fields);
  if (!Array.isArray(input.components) || input.components.length === 0) {
    throw expected("the components of a mixture", "be a list of at least one", input.components);
  }
  const components = (input.components as readonly Unchecked<MixtureComponent>[]).map((given) =>
    requireComponent(given, level + 1),
  );
  const [{ dimension }] = components;
  const other = components.findIndex((component) => component.dimension !== dimension);
  if (other >= 0) {
    const rule = `have the ${dimension} dimensions of component 0`;
    throw expected(`component ${other}`, rule, components[other].dimension);
  }
  const weights = checkedWeights(input.weights, components.length);
  return withinBounds({ kind: "mixture", dimension, weights, components });
}

function checkedWeights(given: ArrayLike<number> | undefined, length: number): FloatArray {
  const equal = new Float64Array(length).fill(1 / length);
  const weights = finiteCopy("weights", given ?? equal, { length });
  requireEach("weights", weights, { length }, (value) => value > 0, "be above 0");
  const sum = sumOf(weights);
  if (Math.abs(sum - 1) <= weightTolerance) return weights;
  throw expected("the weights of a mixture", "have the sum 1", sum);
}

export function sumOf(weights: FloatArray): number {
  let sum = 0;
  for (const value of weights) sum += value;
  return sum;
}

function makeSymmetric(input: SymmetricMixtureInput, level: number): SymmetricMixture {
  const fields = ["kind", "dimension", "side", "removeMean", "density"] as const;
  checkFields("the parameters of a symmetric mixture", input, fields);
  const { side, removeMean = false } = input;
  if (typeof removeMean !== "boolean") {
    throw expected("removeMean", "be true or false", removeMean);
  }
  const density = requireComponent(input.density, level + 1);
  const { dimension } = density;
  const layout: PatchLayout = { size: side, removeMean };
  const wanted = patchDimension(layout);
  if (dimension !== wanted) {
    const without = removeMean ? " without their mean" : "";
    const rule = `have ${wanted} dimensions, as patches of ${side}×${side} pixels${without},`;
    throw expected("the density of a symmetric mixture", rule, dimension);
  }
  return withinBounds({ kind: "symmetric-mixture", dimension, side, removeMean, density });
}

function withinBounds<T extends AnyMixture>(made: Unchecked<T>): T {
  const { depth, leaves } = sizeOf(made as unknown as AnyMixture);
  if (depth > deepest) throw expected("a mixture", `be nested at most ${deepest} deep`, depth);
  if (leaves > mostLeaves) {
    throw expected("a mixture", `have at most ${mostLeaves} components and poses`, leaves);
  }
  return trusted<T>(made);
}

/** Returns the depth of the nesting, and the number of components and poses after resolving it. */
function sizeOf(component: MixtureComponent): { depth: number; leaves: number } {
  if (!isMixture(component)) return { depth: 0, leaves: 1 };
  if (component.kind === "symmetric-mixture") {
    const { depth, leaves } = sizeOf(component.density);
    return { depth: depth + 1, leaves: poseCount * leaves };
  }
  const sizes = component.components.map(sizeOf);
  return {
    depth: 1 + Math.max(...sizes.map(({ depth }) => depth)),
    leaves: sizes.reduce((sum, { leaves }) => sum + leaves, 0),
  };
}
