/** Exact and estimated gradients of a fit: what each kind means, and when it pays off. */
import { expected } from "../errors.js";
import { patchDimension } from "../patches/patch-layout.js";
import { namedModel } from "../transforms/model-names.js";
import type { Decided } from "./fit-option.js";

/**
 * Gradients of the log-determinant (docs/how-it-works.md, "Probe gradients"):
 *
 *   exact   from the inverse of a matrix for each sample
 *   probes  estimates from random signs, without inverses
 *   auto    probes for most steps of large patches, and exact at the end; exact for small ones
 */
export const gradientKinds = ["exact", "probes", "auto"] as const;
export type GradientKind = (typeof gradientKinds)[number];

/** At 64 dimensions an exact step costs little more than an estimated one. */
const leastEstimatedDimension = 100;
/** Exact steps at the end check that every sample has a density; more of them gain nothing. */
const estimatedShareOfAuto = 0.98;

/** Returns the fraction of the first steps whose gradients are estimated. */
export function estimatedShare(kind: GradientKind, decided: Decided): number {
  if (kind === "exact" || (kind === "auto" && !estimatesPayOff(decided))) return 0;
  if (hasFullPools(decided)) return kind === "auto" ? estimatedShareOfAuto : 1;
  throw expected("gradient", 'be "exact" or "auto" unless the model is gdn with a full γ', kind);
}

/** Whether gradients can be estimated: only those of a full γ with α_ij = α_j. */
export function hasFullPools({ model = "gdn", poolRank = 0 }: Decided): boolean {
  return namedModel(model).structure === "column" && poolRank === 0;
}

export function estimatesPayOff(decided: Decided): boolean {
  const { cascade, patch: size = 8, removeMean = false } = decided;
  const dimension = patchDimension({ size, removeMean });
  return cascade === undefined && hasFullPools(decided) && dimension > leastEstimatedDimension;
}
