/** Parameters of any transform as named arrays, for optimisers and files. */
import type { FloatArray } from "../kernels/kernels.js";
import { hashBits } from "../random/hash.js";
import { type WithoutStages, stagesOf } from "./cascade.js";
import type { FittedTransform } from "./side-by-side.js";
import { kindOf } from "./stage-kinds.js";
import type { ImageStage, ParameterGroups } from "./transform.js";

/** Returns the parameters of one stage, without an identity H and without fixed groups. */
export function stageParameters(stage: ImageStage): ParameterGroups {
  const record = stage as unknown as Record<string, FloatArray | null>;
  const present = kindOf(stage).groups.flatMap((name) => {
    const values = record[name];
    return values && values.length > 0 ? [[name, values] as const] : [];
  });
  return Object.fromEntries(present);
}

/**
 * Returns the parameters of each stage; a single transform is one stage. The weights of transforms
 * side by side come last. Rejects mixtures.
 */
export function parametersOf(
  transform: FittedTransform | WithoutStages,
): readonly ParameterGroups[] {
  const ofStages = stagesOf(transform).map(stageParameters);
  if (transform.kind !== "side-by-side") return ofStages;
  return [...ofStages, { logWeights: transform.logWeights }];
}

/** Returns a hash of the bits of all parameters. */
export function digestOf(transform: FittedTransform): string {
  return hashBits(parametersOf(transform).flatMap((groups) => Object.values(groups))).join(" ");
}

/** Returns a copy of the transform with `map` applied to every array. */
export function mapParameters<T extends FittedTransform | ImageStage>(
  transform: T,
  map: (values: FloatArray, name: string) => FloatArray,
): T {
  if (transform.kind === "side-by-side") {
    const { logWeights } = transform;
    const stages = transform.stages.map((stage) => mapParameters(stage, map));
    return { ...transform, stages, logWeights: map(logWeights, "logWeights") };
  }
  if (transform.kind === "cascade" || transform.kind === "image-cascade") {
    return { ...transform, stages: transform.stages.map((stage) => mapParameters(stage, map)) };
  }
  const groups = Object.entries(stageParameters(transform));
  return {
    ...transform,
    ...Object.fromEntries(groups.map(([name, values]) => [name, map(values, name)])),
  };
}
