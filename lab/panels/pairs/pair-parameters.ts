/** The parameters of the GDN of a fit, as they are shown. */
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { namedModel } from "../../../src/transforms/model-names.js";
import { parametersOf } from "../../../src/transforms/parameters.js";
import type { Cascade } from "../../../src/transforms/transform.js";
import type { PairModel } from "./pair-models.js";

/** By name: H, alpha … */
export type PairParameters = Readonly<Record<string, Float64Array>>;

/** Behind the stage that standardizes. */
export function pairParameters(transform: Cascade): PairParameters {
  const [, gdn] = parametersOf(transform);
  return Object.fromEntries(
    Object.entries(gdn).map(([group, values]) => [group, Float64Array.from(values)]),
  );
}

/** Number of values in each group, before there are any: room for what is to come. */
export type ParameterCounts = Readonly<Record<string, number>>;

export function parameterCounts({ model }: PairModel): ParameterCounts {
  const { structure } = namedModel(model);
  const [gdn] = parametersOf(startingGdn({ structure, dimension: 2, H: [1, 0, 0, 1] }));
  return Object.fromEntries(Object.entries(gdn).map(([group, { length }]) => [group, length]));
}
