/** Any sequence of transforms, the first one applied first: their log-determinants add. */
import { expected } from "../errors.js";
import { isChecked, markChecked } from "./checks.js";
import type { AnyTransform, ImageStage } from "./image-cascade.js";
import type { Cascade, Stage, Transform } from "./transform.js";

/** A cascade of at least one transform; cascades within it are opened up. */
export function cascade(transforms: readonly Transform[]): Cascade {
  if (!Array.isArray(transforms)) {
    throw expected("the stages of a cascade", "be a list", transforms);
  }
  const stages = (transforms as readonly Transform[]).flatMap((transform) => stagesOf(transform));
  if (stages.length === 0) throw expected("a cascade", "have at least one stage", 0);
  const { dimension } = stages[0];
  const other = stages.findIndex((stage) => stage.dimension !== dimension);
  if (other < 0) {
    const made: Cascade = { kind: "cascade", dimension, stages };
    return stages.every(isChecked) ? markChecked(made) : made;
  }
  const rule = `have the ${dimension} components of stage 0`;
  throw expected(`stage ${other}`, rule, stages[other].dimension);
}

/** The stages of a transform: itself, where it is no cascade. */
export function stagesOf(transform: Transform): readonly Stage[];
export function stagesOf(transform: AnyTransform): readonly ImageStage[];
export function stagesOf(transform: AnyTransform): readonly ImageStage[] {
  const isOfStages = transform.kind === "cascade" || transform.kind === "image-cascade";
  return isOfStages ? transform.stages : [transform];
}

/** A transform of the same kind with other stages, unchecked. */
export function withStages<T extends AnyTransform>(like: T, stages: readonly ImageStage[]): T {
  if (like.kind === "image-cascade") return { ...like, stages };
  const isAlone = like.kind !== "cascade" && stages.length === 1;
  return (isAlone ? stages[0] : cascade(stages as readonly Stage[])) as T;
}
