/**
 * Transforms of one shape side by side: the components of a mixture while they are fitted.
 *
 *   p(x) = Σ_k π_k p_k(x),   π_k = e^{a_k} / Σ_l e^{a_l}
 *
 *   symbol  variable    shape
 *   a       logWeights  K, any numbers
 *   p_k     stages      S·K: stage 0 of every component, then stage 1 of every component, …
 *
 * In this order, the first stages of all components are a prefix, as a fit of layers needs.
 */
import type { FloatArray } from "../kernels/kernels.js";
import { portableExp } from "../numbers/exponential.js";
import { cascade, stagesOf } from "./cascade.js";
import type { AnyTransform } from "./image-cascade.js";
import type { Stage, Transform } from "./transform.js";

export interface SideBySide {
  readonly kind: "side-by-side";
  readonly dimension: number;
  readonly logWeights: FloatArray;
  readonly stages: readonly Stage[];
}

/** A transform, or several, in a fit. */
export type FittedTransform = AnyTransform | SideBySide;

/** Returns transforms with the same kinds of stages side by side. */
export function sideBySide(transforms: readonly Transform[], logWeights: FloatArray): SideBySide {
  const all = transforms.map((transform) => stagesOf(transform));
  const [{ dimension }] = all[0];
  const stages = all[0].flatMap((_, s) => all.map((ofOne) => ofOne[s]));
  return { kind: "side-by-side", dimension, logWeights, stages };
}

/** Returns the number of transforms. */
export function countOf(fitted: FittedTransform): number {
  return fitted.kind === "side-by-side" ? fitted.logWeights.length : 1;
}

/** Returns the components of a mixture in a fit; a transform is its own only component. */
export function componentsOf(fitted: Transform | SideBySide): readonly Transform[] {
  if (fitted.kind !== "side-by-side") return [fitted];
  const { stages, logWeights } = fitted;
  const count = logWeights.length;
  return Array.from(logWeights, (_, k) => cascade(stages.filter((_, s) => s % count === k)));
}

/** Returns π_k, which sum to 1; 1 for a transform. */
export function weightsOf(fitted: Transform | SideBySide): Float64Array {
  if (fitted.kind !== "side-by-side") return Float64Array.of(1);
  const { logWeights } = fitted;
  const largest = Math.max(...logWeights);
  const shares = Float64Array.from(logWeights, (value) => portableExp(value - largest));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}
