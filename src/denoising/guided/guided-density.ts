/**
 * Densities of noisy patches that have seen a first estimate of what is beneath the noise, one for
 * each kind of patch:
 *
 *   u = H x̃,   v = G x̂,   y_i = u_i / √D_i,   D_i = β_i + Σ_j γ_ij |v_j|^α_j
 *   log p(x̃ | x̂) = log N(y; 0, I) + log |det H| − ½ Σ_i log D_i
 *
 *   symbol   meaning
 *   x̃        a noisy patch, standardized and in its pose
 *   x̂        the same patch of the first estimate
 *   H, G     N×N filters
 *   β, γ, α  pool as in a GDN, paper eq. (5), with ε = ½; but what is pooled is free of noise
 *
 * Since the pool does not depend on x̃, the transform is linear in it: no determinant of a sample
 * is needed, and denoising (empirical-bayes.ts) is a Wiener filter with gains that the first
 * estimate decides, as in the second step of BM3D (Dabov et al. 2007):
 *
 *   x̃ + σ² ∇ log p(x̃ | x̂) = x̃ − σ² Hᵀ (u / D)
 *
 * Miyasawa's equation does not hold for it exactly, x̂ not being independent of the noise: the
 * densities are fitted for the error of pictures (fit-guided.ts), not by likelihood.
 */
import { expected } from "../../errors.js";
import { checkFields } from "../../transforms/checks.js";
import { type ClassBounds, classCount } from "./patch-classes.js";

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
  /** Side of the patches. */
  readonly size: number;
  /**
   * Standard deviation of the noise in the patches that they were fitted to, in units of pixels
   * from 0 to 1.
   */
  readonly noiseLevel: number;
  /** Patches are standardized: scale · pixel + shift. */
  readonly scale: number;
  readonly shift: number;
  readonly bounds: ClassBounds;
  /** One for each class. */
  readonly experts: readonly GuidedExpert[];
}

export const expertFields = ["H", "G", "gamma", "alpha", "beta"] as const;

export type ExpertField = (typeof expertFields)[number];

export function expertLength(field: ExpertField, dimension: number): number {
  return field === "alpha" || field === "beta" ? dimension : dimension * dimension;
}

/** Field by field. */
export function expertOf(make: (field: ExpertField) => Float32Array): GuidedExpert {
  return {
    H: make("H"),
    G: make("G"),
    gamma: make("gamma"),
    alpha: make("alpha"),
    beta: make("beta"),
  };
}

const largestSize = 32;
const mostClasses = 1024;

const guidedFields = ["size", "noiseLevel", "scale", "shift", "bounds", "experts"] as const;

export type GuidedSettings = Omit<GuidedDensities, "experts">;

/** @throws GaussianizeError that names what is wrong */
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

/** All but the parameters: how many there must be follows from them. */
export function checkSettings({ size, noiseLevel, scale, shift, bounds }: GuidedSettings): void {
  if (!Number.isInteger(size) || size < 1 || size > largestSize) {
    throw expected("the side of a patch", `be an integer from 1 to ${largestSize}`, size);
  }
  requirePositive("noiseLevel", noiseLevel);
  requirePositive("scale", scale);
  if (!Number.isFinite(shift)) throw expected("shift", "be a finite number", shift);
  checkFields("bounds", bounds, ["strengths", "coherences"]);
  checkRising("strengths", bounds.strengths);
  checkRising("coherences", bounds.coherences);
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
 * What a fit keeps its parameters within, in standardized units; numbers that Float32 has. Far more
 * than fits come near, but for β of axes along which patches of a class are never flat, such as
 * their mean.
 */
export const limits: Readonly<Record<ExpertField, readonly [least: number, most: number]>> = {
  H: [-1e3, 1e3],
  G: [-1e3, 1e3],
  gamma: [0, 1e6],
  alpha: [1, 4],
  beta: [2 ** -20, 1e6],
};

function requirePositive(name: string, value: number): void {
  if (!(value > 0 && value < Infinity)) throw expected(name, "be a positive number", value);
}

function checkRising(name: string, values: readonly number[]): void {
  const isRising =
    Array.isArray(values) &&
    values.every((v: number, k) => v > (k === 0 ? 0 : Number(values[k - 1])) && v < Infinity);
  if (!isRising) throw expected(name, "be numbers above 0 that rise", values);
}
