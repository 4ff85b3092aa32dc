/**
 * The leaves of a mixture: with all nesting resolved, p(x) = Σ_l w_l q_l(g_l x), where each q_l is
 * the density of a transform, g_l a pose or the identity, and the w_l are products of weights.
 */
import { portableLog } from "../../numbers/logarithm.js";
import { stagesOf } from "../../transforms/cascade.js";
import type { Stage, Transform } from "../../transforms/transform.js";
import { type MixtureComponent, isMixture, sumOf } from "./mixture.js";
import { type Pose, composed, poseCount, poseOf } from "./poses.js";

export interface MixtureLeaf {
  /** Name in messages: "component 1.0, pose 3". */
  readonly name: string;
  readonly weight: number;
  readonly logWeight: number;
  /** Null for the identity. */
  readonly pose: Pose | null;
  readonly transform: Transform;
}

/**
 * Returns the leaves, depth first: the components of a mixture in their order, and of a symmetric
 * mixture all leaves of its density in pose 0, then in pose 1, up to pose 7.
 */
export function leavesOf(component: MixtureComponent): readonly MixtureLeaf[] {
  if (!isMixture(component)) {
    return [{ name: "", weight: 1, logWeight: 0, pose: null, transform: component }];
  }
  if (component.kind === "symmetric-mixture") {
    const { side, removeMean, density } = component;
    const inner = leavesOf(density);
    return Array.from({ length: poseCount }, (_, k) => poseOf(side, removeMean, k)).flatMap(
      (pose, k) =>
        inner.map((leaf) => ({
          ...weighted(leaf, 1 / poseCount),
          name: nameWith(`pose ${k}`, leaf.name),
          pose: composed(pose, leaf.pose),
        })),
    );
  }
  // Weights of Float32 do not sum to 1 exactly; the density does.
  const sum = sumOf(component.weights);
  return component.components.flatMap((inner, k) =>
    leavesOf(inner).map((leaf) => ({
      ...weighted(leaf, component.weights[k] / sum),
      name: nameWith(`component ${k}`, leaf.name),
    })),
  );
}

function nameWith(first: string, second: string): string {
  return [first, second].filter((name) => name !== "").join(", ");
}

function weighted(leaf: MixtureLeaf, weight: number): MixtureLeaf {
  const logWeight = leaf.logWeight + portableLog(weight);
  return { ...leaf, weight: leaf.weight * weight, logWeight };
}

/** Tells whether a density has the same value in all poses, because all its components do. */
export function isSymmetric(component: MixtureComponent): boolean {
  if (component.kind === "symmetric-mixture") return true;
  return component.kind === "mixture" && component.components.every(isSymmetric);
}

/** A transform of a mixture, in the order of the model file, and its name in messages. */
export interface MixtureTransform {
  readonly name: string;
  readonly transform: Transform;
}

/** Returns the transforms of a mixture, depth first, each once for all its poses. */
export function transformsOf(component: MixtureComponent): readonly MixtureTransform[] {
  if (!isMixture(component)) return [{ name: "", transform: component }];
  if (component.kind === "symmetric-mixture") return transformsOf(component.density);
  return component.components.flatMap((inner, k) =>
    transformsOf(inner).map(({ name, transform }) => ({
      name: nameWith(`component ${k}`, name),
      transform,
    })),
  );
}

/** Returns the stages of all transforms of a mixture, depth first. */
export function stagesOfMixture(component: MixtureComponent): readonly Stage[] {
  return transformsOf(component).flatMap(({ transform }) => stagesOf(transform));
}
