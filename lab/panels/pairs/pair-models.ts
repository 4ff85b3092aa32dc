import type { ModelName } from "../../../src/transforms/model-names.js";

/** Models that can be fitted to pairs, in the order of the cards. */
export const pairModels = [
  { name: "ica-mg", title: "ICA-MG", model: "ica-mg", about: "each component by itself" },
  { name: "rg", title: "RG", model: "rg", about: "radial, for elliptical data" },
  { name: "lp", title: "Lₚ", model: "lp", about: "radial with a p-norm" },
  { name: "gdn", title: "GDN", model: "gdn-general", about: "all parameters free" },
] as const satisfies readonly {
  readonly name: string;
  readonly title: string;
  readonly model: ModelName;
  readonly about: string;
}[];

export type PairModel = (typeof pairModels)[number];
export type PairModelName = PairModel["name"];
