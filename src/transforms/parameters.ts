/** The parameters of any transform as named arrays, for optimisers and files. */
import type { FloatArray } from "../kernels/kernels.js";
import { hashBits } from "../random/hash.js";
import { stagesOf } from "./cascade.js";
import type { AnyTransform } from "./image-cascade.js";
import { kindOf } from "./stage-kinds.js";
import type { ImageStage, ParameterGroups } from "./transform.js";

/**
 * The groups of one stage that it has: not an H that is the identity, nor what a structure fixes.
 */
export function stageParameters(stage: ImageStage): ParameterGroups {
  const record = stage as unknown as Record<string, FloatArray | null>;
  const present = kindOf(stage).groups.flatMap((name) => {
    const values = record[name];
    return values && values.length > 0 ? [[name, values] as const] : [];
  });
  return Object.fromEntries(present);
}

/** One record of groups for each stage; a transform that is no cascade has one. */
export function parametersOf(transform: AnyTransform): readonly ParameterGroups[] {
  return stagesOf(transform).map(stageParameters);
}

/** The same text for the same bits of all parameters, and for hardly any others. */
export function digestOf(transform: AnyTransform): string {
  return hashBits(parametersOf(transform).flatMap((groups) => Object.values(groups))).join(" ");
}

/** The same transform with every array replaced by `map` of it. */
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
