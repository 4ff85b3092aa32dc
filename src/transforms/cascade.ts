/** Sequences of transforms, applied in order; their log-determinants add up. */
import { expected } from "../errors.js";
import { type Unchecked, isChecked, trusted } from "./checks.js";
import type { Cascade, ImageStage, Stage, Transform } from "./transform.js";

/**
 * Returns a cascade of at least one transform; nested cascades are flattened.
 *
 * @example
 * ```js
 * import { affine, cascade, linear } from "gaussianize";
 *
 * const first = affine({ dimension: 2, shift: [1, 0] });
 * const model = cascade([first, linear({ dimension: 2, H: [1, 1, 0, 1] })]);
 * console.log(model.stages.length); // 2
 * ```
 */
export function cascade(transforms: readonly Transform[]): Cascade {
  if (!Array.isArray(transforms)) {
    throw expected("the stages of a cascade", "be a list", transforms);
  }
  const stages = (transforms as readonly Transform[]).flatMap((transform) => stagesOf(transform));
  if (stages.length === 0) throw expected("a cascade", "have at least one stage", 0);
  const { dimension } = stages[0];
  const other = stages.findIndex((stage) => stage.dimension !== dimension);
  if (other < 0) {
    const made: Unchecked<Cascade> = { kind: "cascade", dimension, stages };
    return stages.every(isChecked) ? trusted<Cascade>(made) : (made as Cascade);
  }
  const rule = `have the ${dimension} components of stage 0`;
  throw expected(`stage ${other}`, rule, stages[other].dimension);
}

/** A cascade of samples or of whole images, or several cascades in a fit. */
interface OfStages {
  readonly kind: "cascade" | "image-cascade" | "side-by-side";
  readonly stages: readonly ImageStage[];
}

/** A mixture of densities (density/mixtures), which a model may have in place of a transform. */
export type WithoutStages = { readonly kind: "mixture" } | { readonly kind: "symmetric-mixture" };

/** Returns the stages of a cascade; a single transform is its only stage. Rejects mixtures. */
export function stagesOf(transform: Transform): readonly Stage[];
export function stagesOf(transform: ImageStage | OfStages | WithoutStages): readonly ImageStage[];
export function stagesOf(transform: ImageStage | OfStages | WithoutStages): readonly ImageStage[] {
  if ("stages" in transform) return transform.stages;
  if (transform.kind !== "mixture" && transform.kind !== "symmetric-mixture") return [transform];
  throw expected("the transform", "have stages of its own", "a mixture");
}

/** Returns a transform of the same kind with other stages, unchecked. */
export function withStages<T extends Stage | OfStages>(like: T, stages: readonly ImageStage[]): T {
  if (like.kind === "image-cascade" || like.kind === "side-by-side") return { ...like, stages };
  const isAlone = like.kind !== "cascade" && stages.length === 1;
  return (isAlone ? stages[0] : cascade(stages as readonly Stage[])) as T;
}
