/**
 * Densities of noisy patches given an estimate of the clean ones, one density for each class of
 * patches:
 *
 *   u = H x̃ − M x̂,   v = G x̂,   y_i = u_i / √D_i,   D_i = β_i + Σ_j γ_ij |v_j|^α_j
 *   log p(x̃ | x̂) = log N(y; 0, I) + log |det H| − ½ Σ_i log D_i
 *
 *   symbol   meaning
 *   x̃        a noisy patch, standardised and in its pose
 *   x̂        the estimate of the same patch, and K − N means over blocks around it
 *            (guide-cells.ts)
 *   H        N×N filters
 *   G, M     N×K filters; M x̂ is the mean of H x̃. Only the last round has means (M) and blocks.
 *   ω        N weights of the pixels of an estimate, where estimates overlap; 1 but in the last
 *            round
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
import { areRings, cellCount } from "./guide-cells.js";
import { type ClassBounds, classCount, isRising } from "./patch-classes.js";

export interface GuidedExpert {
  /** N×N */
  readonly H: Float32Array;
  /** N×K */
  readonly G: Float32Array;
  /** N×N */
  readonly gamma: Float32Array;
  /** N */
  readonly alpha: Float32Array;
  readonly beta: Float32Array;
  /** N×K and N, of the last round only. */
  readonly M?: Float32Array;
  readonly omega?: Float32Array;
}

export interface GuidedDensities {
  /** Side of the patches in pixels. */
  readonly size: number;
  /** Rings of blocks of the guide around a patch (guide-cells.ts), of the last round only. */
  readonly rings?: number;
  /** Noise level of the patches that they were fitted to, for pixels from 0 to 1. */
  readonly noiseLevel: number;
  /** Patches are standardised: scale · pixel + shift. */
  readonly scale: number;
  readonly shift: number;
  readonly bounds: ClassBounds;
  /** One expert for each class. */
  readonly experts: readonly GuidedExpert[];
  /** Densities of the last round, whose guide the similar patches of the image have refined. */
  readonly last?: GuidedDensities;
}

export type ExpertField = keyof GuidedExpert;

type CellSettings = Pick<GuidedSettings, "size" | "rings">;

const plainFields = ["H", "G", "gamma", "alpha", "beta"] as const;

/** Returns the parameters of each class, in the order of files. */
export function expertFields({ rings }: CellSettings): readonly ExpertField[] {
  return rings === undefined ? plainFields : [...plainFields, "M", "omega"];
}

/** Returns the sizes of a parameter of one class. */
export function expertShape(
  field: ExpertField,
  { size, rings = 0 }: CellSettings,
): readonly number[] {
  const n = size * size;
  if (field === "H" || field === "gamma") return [n, n];
  return field === "M" || field === "G" ? [n, cellCount(size, rings)] : [n];
}

export function expertLength(field: ExpertField, settings: CellSettings): number {
  return expertShape(field, settings).reduce((product, length) => product * length, 1);
}

/** Makes an expert field by field. */
export function expertOf(
  settings: CellSettings,
  make: (field: ExpertField) => Float32Array,
): GuidedExpert {
  const entries = expertFields(settings).map((field) => [field, make(field)] as const);
  return Object.fromEntries(entries) as unknown as GuidedExpert;
}

const largestSize = 32;
const mostClasses = 1024;

const guidedFields = [
  "size",
  "rings",
  "noiseLevel",
  "scale",
  "shift",
  "bounds",
  "experts",
  "last",
] as const;

export type GuidedSettings = Omit<GuidedDensities, "experts" | "last">;

/** @throws GaussianizeError that names the invalid value */
export function checkGuided(guided: GuidedDensities): void {
  checkFields("the densities", guided, guidedFields);
  checkSettings(guided);
  const { bounds, experts, last } = guided;
  const classes = classCount(bounds);
  if (!Array.isArray(experts) || experts.length !== classes) {
    const count: unknown = Array.isArray(experts) ? experts.length : experts;
    throw expected("experts", `be one for each of the ${classes} classes`, count);
  }
  experts.forEach((expert: GuidedExpert, k) => {
    checkExpert(expert, `expert ${k}`, guided);
  });
  if (!last) return;
  if (last.rings === undefined || last.last !== undefined) {
    throw expected("last", "be the densities of a last round", "those of another");
  }
  checkGuided(last);
}

/** Checks everything but the parameters, whose number depends on it. */
export function checkSettings(settings: GuidedSettings): void {
  const { size, rings, noiseLevel, scale, shift, bounds } = settings;
  if (!Number.isInteger(size) || size < 1 || size > largestSize) {
    throw expected("the side of a patch", `be an integer from 1 to ${largestSize}`, size);
  }
  if (rings !== undefined && !areRings(rings, size)) {
    throw expected("rings", `be a number of rings of whole blocks around ${size} pixels`, rings);
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

function checkExpert(expert: GuidedExpert, name: string, settings: GuidedSettings): void {
  const fields = expertFields(settings);
  checkFields(name, expert, fields);
  for (const field of fields) {
    const values: unknown = expert[field];
    const length = expertLength(field, settings);
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
  M: [-1e3, 1e3],
  G: [-1e3, 1e3],
  gamma: [0, 1e6],
  alpha: [1, 4],
  beta: [2 ** -20, 1e6],
  omega: [2 ** -10, 2 ** 10],
};
