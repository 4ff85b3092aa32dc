/** The parameters of the GDN of a fit, as they are shown. */
import { type Cascade, namedModel, parametersOf, startingGdn } from "../../../src/index.js";
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

/** How many values each group has, before there are any: room for what is to come. */
export function parameterCounts({ model }: PairModel): Readonly<Record<string, number>> {
  const { structure } = namedModel(model);
  const [gdn] = parametersOf(startingGdn({ structure, dimension: 2, H: [1, 0, 0, 1] }));
  return Object.fromEntries(Object.entries(gdn).map(([group, { length }]) => [group, length]));
}
