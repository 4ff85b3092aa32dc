/** Exact and estimated gradients of a fit: what each kind means, and when it pays off. */
import { expected } from "../errors.js";
import { seedOfPart } from "../kernels/probes.js";
import { patchDimension } from "../patches/patch-layout.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { namedModel } from "../transforms/model-names.js";
import type { Decided } from "./fit-option.js";
import type { FitOptions } from "./fit-records.js";

/**
 * Gradients of the log-determinant (docs/how-it-works.md, "Probe gradients"):
 *
 *   exact   from the inverse of a matrix for each sample
 *   probes  estimates from random signs, without inverses
 *   auto    probes for most steps of large patches or cascades, and exact at the end; exact for
 *           small ones
 */
export const gradientKinds = ["exact", "probes", "auto"] as const;
export type GradientKind = (typeof gradientKinds)[number];

/** At 64 dimensions an exact step costs little more than an estimated one. */
const leastEstimatedDimension = 100;
/** A few exact steps at the end, when the rate is small; more of them gain nothing. */
const estimatedShareOfAuto = 0.998;

/** Seed of the random signs of a fit, and the fraction of the first steps that use them. */
export type ProbeSchedule = NonNullable<FitOptions["probes"]>;

/** Returns the schedule of a fit; null if all gradients are exact. */
export function probeSchedule(
  kind: GradientKind,
  decided: Decided,
  seed: Seed,
): ProbeSchedule | null {
  const share = estimatedShare(kind, decided);
  return share > 0 ? { seed: createRandom(seed, "probes").integer(2 ** 32), share } : null;
}

/** Returns the seed of the signs of a step of a phase; undefined if its gradient is exact. */
export function probesAt(
  probes: ProbeSchedule | null | undefined,
  { firstStep = 0, steps }: Pick<FitOptions, "firstStep" | "steps">,
  step: number,
): { readonly seed: number } | undefined {
  if (!probes || step >= firstStep + Math.floor(probes.share * (steps - firstStep))) return;
  return { seed: seedOfPart(probes.seed, step) };
}

/** Returns the fraction of the first steps whose gradients are estimated. */
function estimatedShare(kind: GradientKind, decided: Decided): number {
  if (kind === "exact" || (kind === "auto" && !estimatesPayOff(decided))) return 0;
  if (hasFullPools(decided)) return kind === "auto" ? estimatedShareOfAuto : 1;
  throw expected("gradient", 'be "exact" or "auto" unless the model is gdn with a full γ', kind);
}

/** Whether gradients can be estimated: only those of a full γ with α_ij = α_j. */
export function hasFullPools({ model = "gdn", poolRank = 0 }: Decided): boolean {
  return namedModel(model).structure === "column" && poolRank === 0;
}

export function estimatesPayOff(decided: Decided): boolean {
  // The locations of a cascade are blocks, as large as patches of this size.
  const { patch: size = 8, removeMean = false } = decided;
  const dimension = patchDimension({ size, removeMean });
  return hasFullPools(decided) && dimension > leastEstimatedDimension;
}
