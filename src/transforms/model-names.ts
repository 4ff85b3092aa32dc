/**
 * Densities of the paper (§3.1) by their usual names; each is a structure of one GDN. Classic and
 * weighted normalization are missing, because they are not onto.
 */
import { expected } from "../errors.js";
import type { GdnStructure } from "./gdn-structures.js";

export interface NamedModel {
  readonly structure: GdnStructure;
  /** Name in tables. */
  readonly title: string;
  readonly about: string;
}

export const namedModels = {
  gdn: {
    structure: "column",
    title: "GDN",
    about: "generalized divisive normalization, α_ij = α_j (paper §4.2)",
  },
  "gdn-general": {
    structure: "general",
    title: "GDN, general",
    about: "generalized divisive normalization with all α_ij (paper eq. 5)",
  },
  "ica-mg": {
    structure: "marginal",
    title: "ICA-MG",
    about: "independent components, each made Gaussian by itself",
  },
  rg: { structure: "radial", title: "RG", about: "radial Gaussianization of elliptical densities" },
  lp: {
    structure: "lp",
    title: "Lp",
    about: "L_p-nested symmetric: one pool with a free exponent",
  },
  isa: { structure: "subspace", title: "ISA", about: "independent subspaces, radial within each" },
} as const satisfies Readonly<Record<string, NamedModel>>;

export type ModelName = keyof typeof namedModels;

/** Names of the models that a fit to patches offers. */
export const modelNames = Object.keys(namedModels) as ModelName[];

export function namedModel(name: string): NamedModel {
  if (Object.hasOwn(namedModels, name)) return namedModels[name as ModelName];
  throw expected("the model", `be one of ${modelNames.join(", ")}`, name);
}
