/**
 * Special cases of paper §3.1: one GDN whose parameters are tied in different ways.
 *
 *   structure    α_ij      β_i    γ_ij                     ε_i    the paper's name
 *   general      α_ij      β_i    γ_ij                     ε_i    GDN, eq. (5)
 *   column       α_j       β_i    γ_ij                     ε_i    GDN of §4.2
 *   marginal     α_i       β_i    γ_i, 0 for i ≠ j         ε_i    ICA-MG
 *   radial       2         β      γ                        ε      RG: keeps the direction of z
 *   lp           p         β      γ                        ε      L_p-symmetric
 *   subspace     2         β_k    γ_k in S_k, else 0       ε_k    ISA, S_k the subspace of i
 *   classic      1         β      1                        1      classic divisive normalization
 *   weighted-l2  2         β      γ_j                      ½      the Gaussian scale mixture's form
 *   low-rank     α_j       β_i    g_i δ_ij + Σ_r U_ir V_jr  ε_i   GDN of §4.2, few weights
 *
 * For every entry of the kernels' arrays, a structure determines the free parameter that it equals,
 * or its fixed value. Free parameters are spread over the entries; the gradients of the entries are
 * collected on the free parameters.
 */
import {
  type FloatArray,
  type GdnForm,
  type GdnParameters,
  gdnLengths,
} from "../kernels/kernels.js";
import { writeOutLowRank } from "../kernels/low-rank.js";

/** Groups that a structure may tie; H is always free. */
export type TiedGroup = "alpha" | "beta" | "gamma" | "epsilon";
export const tiedGroups: readonly TiedGroup[] = ["alpha", "beta", "gamma", "epsilon"];

/** Structure and sizes of a layer, which determine its ties. */
export interface StructureSize {
  readonly structure: GdnStructure;
  readonly dimension: number;
  /** Subspace 0, 1, 2 … of each component; for the structure "subspace" only. */
  readonly partition: Int32Array | null;
  /** R, the number of columns of U and V; for the structure "low-rank" only. */
  readonly rank?: number;
}

/** A larger rank would save nothing: for usual patches, N R² is then as large as N³. */
export const largestRank = 64;

/**
 * Structures whose components form blocks that pool each other with weights γ_j have the factors
 *
 *   γ = U Vᵀ,   U_ir = 1 for i in block r, else 0,   V_jr = γ_j for j in block r, else 0
 *
 * so that their determinants and inverses are closed forms (kernels/low-rank.ts): one block for the
 * radial structures, the subspaces for "subspace". In small layers, and in those of many blocks,
 * elimination is as fast or faster.
 */
const leastFactoredDimension = 32;
const leastMeanBlock = 3;

/** Source of the values of a group's entries. */
interface Tie {
  /** Whether the group has free parameters. */
  readonly isFree: boolean;
  /** Number of free parameters. */
  count(n: number, partition: Int32Array, entries: number): number;
  /** Index of the free parameter of entry k, where i pools j (j = i in vectors); −1 if `fixed`. */
  source(k: number, i: number, j: number, partition: Int32Array): number;
  readonly fixed: number;
}
type FreeTie = Tie & { readonly isFree: true };
type FixedTie = Tie & { readonly isFree: false };

const subspacesOf = (partition: Int32Array): number =>
  partition.reduce((most, subspace) => Math.max(most, subspace + 1), 0);

const own: FreeTie = {
  isFree: true,
  count: (_n, _partition, entries) => entries,
  source: (k) => k,
  fixed: 0,
};
const common: FreeTie = { isFree: true, count: () => 1, source: () => 0, fixed: 0 };
const ofColumn: FreeTie = { isFree: true, count: (n) => n, source: (_k, _i, j) => j, fixed: 0 };
const ofSubspace: FreeTie = {
  isFree: true,
  count: (_, partition) => subspacesOf(partition),
  source: (_k, i, _j, partition) => partition[i],
  fixed: 0,
};
const withinSubspace: FreeTie = {
  isFree: true,
  count: (_, partition) => subspacesOf(partition),
  source: (_k, i, j, partition) => (partition[i] === partition[j] ? partition[i] : -1),
  fixed: 0,
};
const always = (fixed: number): FixedTie => ({
  isFree: false,
  count: () => 0,
  source: () => -1,
  fixed,
});

interface StructureRule extends Readonly<Record<TiedGroup, Tie>> {
  /** Form of small layers; large ones of structures with blocks have factors. */
  readonly form: GdnForm;
  readonly hasBlocks?: boolean;
}

const rules = {
  general: { form: "general", alpha: own, beta: own, gamma: own, epsilon: own },
  column: { form: "column", alpha: own, beta: own, gamma: own, epsilon: own },
  marginal: { form: "diagonal", alpha: own, beta: own, gamma: own, epsilon: own },
  radial: {
    form: "column",
    hasBlocks: true,
    alpha: always(2),
    beta: common,
    gamma: common,
    epsilon: common,
  },
  lp: {
    form: "column",
    hasBlocks: true,
    alpha: common,
    beta: common,
    gamma: common,
    epsilon: common,
  },
  subspace: {
    form: "column",
    hasBlocks: true,
    alpha: always(2),
    beta: ofSubspace,
    gamma: withinSubspace,
    epsilon: ofSubspace,
  },
  classic: {
    form: "column",
    hasBlocks: true,
    alpha: always(1),
    beta: common,
    gamma: always(1),
    epsilon: always(1),
  },
  "weighted-l2": {
    form: "column",
    hasBlocks: true,
    alpha: always(2),
    beta: common,
    gamma: ofColumn,
    epsilon: always(0.5),
  },
  // All free: γ holds g and the columns of U and V, (2R + 1)×N values.
  "low-rank": { form: "low-rank", alpha: own, beta: own, gamma: own, epsilon: own },
} satisfies Readonly<Record<string, StructureRule>>;

export type GdnStructure = keyof typeof rules;
/** Names of all structures of a GDN. */
export const gdnStructures = Object.keys(rules) as readonly GdnStructure[];

/** Groups with free values in a structure. */
export type FreeGroup<S extends GdnStructure> = {
  [G in TiedGroup]: (typeof rules)[S][G] extends FreeTie ? G : never;
}[TiedGroup];

export function freeGroups(structure: GdnStructure): readonly TiedGroup[] {
  return tiedGroups.filter((group) => ruleOf(structure)[group].isFree);
}

function ruleOf(structure: GdnStructure): StructureRule {
  return rules[structure];
}

/** Whether the entries are the free parameters, in the same order. */
export function isUntied(structure: GdnStructure): boolean {
  return tiedGroups.every((group) => ruleOf(structure)[group] === own);
}

/** Form in which the kernels store a layer, with its rank if the form is "low-rank". */
export function formOf(size: StructureSize): Pick<GdnParameters, "form" | "rank"> {
  const { structure, dimension, partition, rank } = size;
  const { form, hasBlocks = false } = ruleOf(structure);
  if (rank !== undefined) return { form, rank };
  const blocks = partition ? subspacesOf(partition) : 1;
  const mostBlocks = Math.min(largestRank, dimension / leastMeanBlock);
  const isFactored = hasBlocks && dimension >= leastFactoredDimension && blocks <= mostBlocks;
  return isFactored ? { form: "low-rank", rank: blocks } : { form };
}

/**
 * Receives an entry where i pools j (j = i in vectors), its free parameter, or −1 if it is fixed,
 * and then its value.
 */
type EntryVisitor = (entry: number, source: number, i: number, j: number, fixed: number) => void;

/** Calls `visit` for every entry of a group, in order. */
export function visitEntries(size: StructureSize, group: TiedGroup, visit: EntryVisitor): void {
  const { structure, dimension: n, partition } = size;
  const { form, rank = 0 } = formOf(size);
  const tie = ruleOf(structure)[group];
  const subspaces = partition ?? new Int32Array(n);
  if (group === "gamma" && form === "low-rank") {
    visitFactors(subspaces, rank, tie, visit);
    return;
  }
  const rows = isMatrixIn(form, group) ? n : 1;
  for (let row = 0, k = 0; row < rows; row++) {
    for (let j = 0; j < n; j++, k++) {
      const i = rows === 1 ? j : row;
      visit(k, tie.source(k, i, j, subspaces), i, j, tie.fixed);
    }
  }
}

/** Visits g = 0, the rows of Uᵀ and those of Vᵀ, for weights that are tied within blocks. */
function visitFactors(blocks: Int32Array, rank: number, tie: Tie, visit: EntryVisitor): void {
  const { length: n } = blocks;
  for (let row = 0, k = 0; row <= 2 * rank; row++) {
    const isOfV = row > rank;
    const block = (row - 1) % rank;
    for (let i = 0; i < n; i++, k++) {
      const isWithin = row > 0 && blocks[i] === block;
      const source = isWithin && isOfV ? tie.source(k, i, i, blocks) : -1;
      visit(k, source, i, i, isWithin ? (isOfV ? tie.fixed : 1) : 0);
    }
  }
}

/** Whether a form stores a group as N×N entries. */
export function isMatrixIn(form: GdnForm, group: TiedGroup | "H"): boolean {
  return (
    group === "H" ||
    (group === "alpha" && form === "general") ||
    (group === "gamma" && (form === "general" || form === "column"))
  );
}

/** Returns the number of free parameters of each group; 0 if the structure fixes it. */
export function freeLengths(size: StructureSize): Record<TiedGroup, number> {
  const { structure, dimension: n, partition } = size;
  const { form, rank } = formOf(size);
  const lengths = gdnLengths(form, n, rank);
  const subspaces = partition ?? new Int32Array(0);
  return eachGroup((group) => ruleOf(structure)[group].count(n, subspaces, lengths[group]));
}

/** Returns a record with a value for each tied group. */
export function eachGroup<T>(valueOf: (group: TiedGroup) => T): Record<TiedGroup, T> {
  return {
    alpha: valueOf("alpha"),
    beta: valueOf("beta"),
    gamma: valueOf("gamma"),
    epsilon: valueOf("epsilon"),
  };
}

/** Returns the value of the fixed entries of a group. */
export function fixedValue(structure: GdnStructure, group: TiedGroup): number {
  return ruleOf(structure)[group].fixed;
}

export type FreeParameters = StructureSize &
  Readonly<Record<TiedGroup, FloatArray>> & { readonly H: FloatArray | null };

/** Returns the layer for the kernels: every entry has the value of its free parameter. */
export function spreadOverEntries(layer: FreeParameters): GdnParameters {
  const { structure, dimension, H } = layer;
  const { form, rank } = formOf(layer);
  const lengths = gdnLengths(form, dimension, rank);
  const spread = (group: TiedGroup): FloatArray => {
    const free = layer[group];
    if (ruleOf(structure)[group] === own) return free;
    const entries = new (free.constructor as Float64ArrayConstructor)(lengths[group]);
    visitEntries(layer, group, (k, source, _i, _j, fixed) => {
      entries[k] = source < 0 ? fixed : free[source];
    });
    return entries;
  };
  return {
    form,
    dimension,
    ...(rank !== undefined && { rank }),
    H,
    ...eachGroup(spread),
  };
}

/** Returns the gradient of the free parameters: each sums the gradients of its entries. */
export function collectOnFree(
  size: StructureSize,
  entryGradients: Readonly<Record<TiedGroup, FloatArray>>,
): Record<TiedGroup, FloatArray> {
  const lengths = freeLengths(size);
  return eachGroup((group) => {
    const entries = entryGradients[group];
    if (ruleOf(size.structure)[group] === own) return entries;
    // Float64, because a sum may have thousands of Float32 entries.
    const sums = new Float64Array(lengths[group]);
    visitEntries(size, group, (k, source) => {
      if (source >= 0) sums[source] += entries[k];
    });
    return (entries.constructor as Float64ArrayConstructor).from(sums);
  });
}

/** Returns γ as an N×N matrix, whatever the structure. */
export function pooledWeights(layer: FreeParameters): Float64Array {
  const { form, dimension: n, rank = 0, gamma } = spreadOverEntries(layer);
  if (form === "low-rank") return writeOutLowRank(gamma, n, rank);
  if (form !== "diagonal") return Float64Array.from(gamma);
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) matrix[i * n + i] = gamma[i];
  return matrix;
}
