/**
 * Densities of noisy patches given a first estimate of the clean ones, one density for each class
 * of patches:
 *
 *   u = H x̃,   v = G x̂,   y_i = u_i / √D_i,   D_i = β_i + Σ_j γ_ij |v_j|^α_j
 *   log p(x̃ | x̂) = log N(y; 0, I) + log |det H| − ½ Σ_i log D_i
 *
 *   symbol   meaning
 *   x̃        a noisy patch, standardised and in its pose
 *   x̂        the same patch of the first estimate
 *   H, G     N×N filters
 *   β, γ, α  pool as in a GDN, paper eq. (5), with ε = ½, but of responses to the estimate
 *
 * The pool does not depend on x̃, so the transform is linear in x̃ and no determinant per sample is
 * needed. Denoising (empirical-bayes.ts) is a Wiener filter whose gains depend on the first
 * estimate, as in the second step of BM3D (Dabov et al. 2007):
 *
 *   x̃ + σ² ∇ log p(x̃ | x̂) = x̃ − σ² Hᵀ (u / D)
 *
 * Miyasawa's equation does not hold exactly, because x̂ depends on the noise. So the densities are
 * fitted to the error of pictures (fit-guided.ts), not by likelihood.
 */
import { expected } from "../../errors.js";
import { checkFields } from "../../transforms/checks.js";
import { type ClassBounds, classCount, isRising } from "./patch-classes.js";

export interface GuidedExpert {
  /** N×N */
  readonly H: Float32Array;
  readonly G: Float32Array;
  readonly gamma: Float32Array;
  /** N */
  readonly alpha: Float32Array;
  readonly beta: Float32Array;
}

export interface GuidedDensities {
  /** Side of the patches in pixels. */
  readonly size: number;
  /** Noise level of the patches that they were fitted to, for pixels from 0 to 1. */
  readonly noiseLevel: number;
  /** Patches are standardised: scale · pixel + shift. */
  readonly scale: number;
  readonly shift: number;
  readonly bounds: ClassBounds;
  /** One expert for each class. */
  readonly experts: readonly GuidedExpert[];
}

export const expertFields = ["H", "G", "gamma", "alpha", "beta"] as const;

export type ExpertField = (typeof expertFields)[number];

export function expertLength(field: ExpertField, dimension: number): number {
  return field === "alpha" || field === "beta" ? dimension : dimension * dimension;
}

/** Makes an expert field by field. */
export function expertOf(make: (field: ExpertField) => Float32Array): GuidedExpert {
  const entries = expertFields.map((field) => [field, make(field)] as const);
  return Object.fromEntries(entries) as unknown as GuidedExpert;
}

const largestSize = 32;
const mostClasses = 1024;

const guidedFields = ["size", "noiseLevel", "scale", "shift", "bounds", "experts"] as const;

export type GuidedSettings = Omit<GuidedDensities, "experts">;

/** @throws GaussianizeError that names the invalid value */
export function checkGuided(guided: GuidedDensities): void {
  checkFields("the densities", guided, guidedFields);
  checkSettings(guided);
  const { size, bounds, experts } = guided;
  const classes = classCount(bounds);
  if (!Array.isArray(experts) || experts.length !== classes) {
    const count: unknown = Array.isArray(experts) ? experts.length : experts;
    throw expected("experts", `be one for each of the ${classes} classes`, count);
  }
  experts.forEach((expert: GuidedExpert, k) => {
    checkExpert(expert, `expert ${k}`, size * size);
  });
}

/** Checks everything but the parameters, whose number depends on it. */
export function checkSettings({ size, noiseLevel, scale, shift, bounds }: GuidedSettings): void {
  if (!Number.isInteger(size) || size < 1 || size > largestSize) {
    throw expected("the side of a patch", `be an integer from 1 to ${largestSize}`, size);
  }
  for (const [name, value] of Object.entries({ noiseLevel, scale })) {
    if (!Number.isFinite(value) || value <= 0) throw expected(name, "be a positive number", value);
  }
  if (!Number.isFinite(shift)) throw expected("shift", "be a finite number", shift);
  checkFields("bounds", bounds, ["strengths", "coherences"]);
  for (const name of ["strengths", "coherences"] as const) {
    const values = bounds[name];
    if (!isRising(values, Infinity)) throw expected(name, "be rising numbers above 0", values);
  }
  const classes = classCount(bounds);
  if (classes > mostClasses) {
    throw expected("the classes", `be at most ${mostClasses}`, classes);
  }
}

function checkExpert(expert: GuidedExpert, name: string, n: number): void {
  checkFields(name, expert, expertFields);
  for (const field of expertFields) {
    const values: unknown = expert[field];
    const length = expertLength(field, n);
    if (!(values instanceof Float32Array) || values.length !== length) {
      const received: unknown = values instanceof Float32Array ? values.length : values;
      throw expected(`${field} of ${name}`, `hold ${length} values of Float32`, received);
    }
    const [least, most] = limits[field];
    const wrong = values.findIndex((value) => !(value >= least && value <= most));
    if (wrong >= 0) {
      const rule = `be from ${least} to ${most}`;
      throw expected(`${field} of ${name}, value ${wrong},`, rule, values[wrong]);
    }
  }
}

/**
 * Limits of the parameters in standardised units, exact in Float32. Fits stay far away from them,
 * except for β of axes along which patches of a class are never flat, such as their mean.
 */
export const limits: Readonly<Record<ExpertField, readonly [least: number, most: number]>> = {
  H: [-1e3, 1e3],
  G: [-1e3, 1e3],
  gamma: [0, 1e6],
  alpha: [1, 4],
  beta: [2 ** -20, 1e6],
};
