/** Special cases of paper §3.1 written by hand, independent of src/transforms/gdn-structures.ts. */
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { GdnStructure } from "../../src/transforms/gdn-structures.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";

/** Dimension of the layers to spread out. */
export const spreadSize = 6;
const n = spreadSize;

/** α and γ as N×N matrices, β and ε as N values. */
export interface Entries {
  readonly alpha: (i: number, j: number) => number;
  readonly beta: (i: number) => number;
  readonly gamma: (i: number, j: number) => number;
  readonly epsilon: (i: number) => number;
}

/**
 * A free parameter is represented by its index in the group, a fixed value by the value minus 1000.
 */
const fixed = (value: number): number => value - 1000;
export const subspaces = [0, 1, 0, 2, 1, 0];
const only = (condition: boolean, index: number): number => (condition ? index : fixed(0));
export const sources: Readonly<Record<Exclude<GdnStructure, "low-rank">, Entries>> = {
  general: {
    alpha: (i, j) => i * n + j,
    beta: (i) => i,
    gamma: (i, j) => i * n + j,
    epsilon: (i) => i,
  },
  column: {
    alpha: (_, j) => j,
    beta: (i) => i,
    gamma: (i, j) => i * n + j,
    epsilon: (i) => i,
  },
  marginal: {
    // For γ_ij = 0 the exponent has no effect, but must be valid.
    alpha: (i, j) => (i === j ? i : fixed(1)),
    beta: (i) => i,
    gamma: (i, j) => only(i === j, i),
    epsilon: (i) => i,
  },
  radial: { alpha: () => fixed(2), beta: () => 0, gamma: () => 0, epsilon: () => 0 },
  lp: { alpha: () => 0, beta: () => 0, gamma: () => 0, epsilon: () => 0 },
  subspace: {
    alpha: () => fixed(2),
    beta: (i) => subspaces[i],
    gamma: (i, j) => only(subspaces[i] === subspaces[j], subspaces[i]),
    epsilon: (i) => subspaces[i],
  },
  classic: {
    alpha: () => fixed(1),
    beta: () => 0,
    gamma: () => fixed(1),
    epsilon: () => fixed(1),
  },
  "weighted-l2": {
    alpha: () => fixed(2),
    beta: () => 0,
    gamma: (_, j) => j,
    epsilon: () => fixed(0.5),
  },
};
const valueOf = (free: FloatArray, source: number): number =>
  source < 0 ? source + 1000 : free[source];

const vector = (entry: (i: number) => number): number[] =>
  Array.from({ length: n }, (_, i) => entry(i));
const matrix = (entry: (i: number, j: number) => number): number[] =>
  Array.from({ length: n * n }, (_, k) => entry(Math.floor(k / n), k % n));

/** Returns the same layer in the structure "general". */
export function spreadOut(layer: Gdn): Gdn {
  if (layer.structure === "low-rank") throw new Error("entries of low rank are sums of products");
  const of = sources[layer.structure];
  return gdn({
    structure: "general",
    dimension: n,
    H: layer.H,
    alpha: matrix((i, j) => valueOf(layer.alpha, of.alpha(i, j))),
    beta: vector((i) => valueOf(layer.beta, of.beta(i))),
    gamma: matrix((i, j) => valueOf(layer.gamma, of.gamma(i, j))),
    epsilon: vector((i) => valueOf(layer.epsilon, of.epsilon(i))),
  });
}
