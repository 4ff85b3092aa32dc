/** Layers of the library's border, from the layouts that the kernels' tests work with. */
import type { GdnForm, GdnGradient, GdnParameters } from "../../src/kernels/kernels.js";
import type { RandomStream } from "../../src/random/random-stream.js";
import { type GdnStructure, spreadOverEntries } from "../../src/transforms/gdn-structures.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";
import type { ParameterGroups } from "../../src/transforms/transform.js";
import { type CaseSize, type GdnCase, randomCase, randomParameters } from "./gdn-cases.js";

/** The structure without ties that the kernels store in each form. */
export const structureOf: Readonly<Record<GdnForm, GdnStructure>> = {
  general: "general",
  column: "column",
  diagonal: "marginal",
  "low-rank": "low-rank",
};

/** Every structure in a size that shows its ties: the subspaces are interleaved and of different sizes. */
export const everyStructure: readonly {
  readonly structure: GdnStructure;
  readonly dimension: number;
  readonly partition?: readonly number[];
  readonly rank?: number;
}[] = [
  { structure: "general", dimension: 4 },
  { structure: "column", dimension: 4 },
  { structure: "marginal", dimension: 4 },
  { structure: "radial", dimension: 4 },
  { structure: "lp", dimension: 4 },
  { structure: "subspace", dimension: 6, partition: [0, 1, 0, 2, 1, 0] },
  { structure: "classic", dimension: 4 },
  { structure: "weighted-l2", dimension: 4 },
  { structure: "low-rank", dimension: 4, rank: 2 },
];

/** Whether the structure fixes ε α at 1, so that no choice of its parameters brings q = max ε_i α_ij below. */
export const isNeverCertified = (structure: GdnStructure): boolean =>
  structure === "classic" || structure === "weighted-l2";

export function layerOf({ form, ...parameters }: GdnParameters): Gdn {
  return gdn({ structure: structureOf[form], ...parameters });
}

export function randomLayer(random: RandomStream, size: Omit<CaseSize, "count">): Gdn {
  return layerOf(randomParameters(random, size));
}

export interface LayerCase extends Omit<GdnCase, "parameters"> {
  readonly layer: Gdn;
}

export function randomLayerCase(random: RandomStream, size: CaseSize): LayerCase {
  const { parameters, ...samples } = randomCase(random, size);
  return { layer: layerOf(parameters), ...samples };
}

/** The gradient of a transform that is no cascade. */
export function onlyStage(gradient: readonly ParameterGroups[]): ParameterGroups & GdnGradient {
  if (gradient.length !== 1) throw new Error(`expected 1 stage but received ${gradient.length}`);
  return { H: null, ...gradient[0] } as ParameterGroups & GdnGradient;
}

/** q = max ε_i α_ij over the j that i may pool: below 1 the layer is invertible for certain. */
export function largestExponentProduct(layer: Gdn): number {
  const { form, dimension: n, alpha, epsilon } = spreadOverEntries(layer);
  let q = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      if (form === "diagonal" && i !== j) continue;
      q = Math.max(q, epsilon[i] * alpha[form === "general" ? i * n + j : j]);
    }
  }
  return q;
}
