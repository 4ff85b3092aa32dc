/** Parameters of any transform as named arrays, for optimisers and files. */
import type { FloatArray } from "../kernels/kernels.js";
import { hashBits } from "../random/hash.js";
import { type WithoutStages, stagesOf } from "./cascade.js";
import type { AnyTransform } from "./image-cascade.js";
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

/** Returns the parameters of each stage; a single transform is one stage. Rejects mixtures. */
export function parametersOf(transform: AnyTransform | WithoutStages): readonly ParameterGroups[] {
  return stagesOf(transform).map(stageParameters);
}

/** Returns a hash of the bits of all parameters. */
export function digestOf(transform: AnyTransform): string {
  return hashBits(parametersOf(transform).flatMap((groups) => Object.values(groups))).join(" ");
}

/** Returns a copy of the transform with `map` applied to every array. */
export function mapParameters<T extends AnyTransform | ImageStage>(
  transform: T,
  map: (values: FloatArray, name: string) => FloatArray,
): T {
  if (transform.kind === "cascade" || transform.kind === "image-cascade") {
    return { ...transform, stages: transform.stages.map((stage) => mapParameters(stage, map)) };
  }
  const groups = Object.entries(stageParameters(transform));
  return {
    ...transform,
    ...Object.fromEntries(groups.map(([name, values]) => [name, map(values, name)])),
  };
}
