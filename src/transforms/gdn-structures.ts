/**
 * The special cases of paper §3.1: one GDN whose parameters are tied in different ways.
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
 * A structure says for every entry of the arrays that the kernels work with (their form) which free
 * parameter it takes, or its fixed value. Everything else follows: free parameters spread over the
 * entries, gradients of the entries collect on the free parameters.
 */
import {
  type FloatArray,
  type GdnForm,
  type GdnParameters,
  gdnLengths,
} from "../kernels/kernels.js";
import { writeOutLowRank } from "../kernels/low-rank.js";

/** The groups that a structure ties; H is free in all of them. */
export type TiedGroup = "alpha" | "beta" | "gamma" | "epsilon";
export const tiedGroups: readonly TiedGroup[] = ["alpha", "beta", "gamma", "epsilon"];

/** The sizes that the ties of a layer depend on, whatever its structure. */
export interface StructureSize {
  readonly structure: GdnStructure;
  readonly dimension: number;
  /** Of the structure "subspace": the subspace 0, 1, 2 … of each component. */
  readonly partition: Int32Array | null;
  /** Of the structure "low-rank", and of no other: R, the number of columns of U and V. */
  readonly rank?: number;
}

/**
 * The N R² of a larger rank would be no less than the N³ of full weights for patches of a usual
 * size.
 */
export const largestRank = 64;

/** Where the entries of a group get their values. */
interface Tie {
  /** Whether the group has free parameters at all. */
  readonly isFree: boolean;
  /** Number of free parameters. */
  count(n: number, partition: Int32Array, entries: number): number;
  /**
   * Which of them entry k takes, of component i pooling j (i itself in vectors); −1: it is `fixed`.
   */
  source(k: number, i: number, j: number, partition: Int32Array): number;
  readonly fixed: number;
}
interface FreeTie extends Tie {
  readonly isFree: true;
}
interface FixedTie extends Tie {
  readonly isFree: false;
}

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
  readonly form: GdnForm;
}

const rules = {
  general: { form: "general", alpha: own, beta: own, gamma: own, epsilon: own },
  column: { form: "column", alpha: own, beta: own, gamma: own, epsilon: own },
  marginal: { form: "diagonal", alpha: own, beta: own, gamma: own, epsilon: own },
  radial: { form: "column", alpha: always(2), beta: common, gamma: common, epsilon: common },
  lp: { form: "column", alpha: common, beta: common, gamma: common, epsilon: common },
  subspace: {
    form: "column",
    alpha: always(2),
    beta: ofSubspace,
    gamma: withinSubspace,
    epsilon: ofSubspace,
  },
  classic: {
    form: "column",
    alpha: always(1),
    beta: common,
    gamma: always(1),
    epsilon: always(1),
  },
  "weighted-l2": {
    form: "column",
    alpha: always(2),
    beta: common,
    gamma: ofColumn,
    epsilon: always(0.5),
  },
  // All free: γ is (2R + 1)×N values, g and the columns of U and V.
  "low-rank": { form: "low-rank", alpha: own, beta: own, gamma: own, epsilon: own },
} satisfies Readonly<Record<string, StructureRule>>;

export type GdnStructure = keyof typeof rules;
/** Names of all structures of a GDN. */
export const gdnStructures = Object.keys(rules) as readonly GdnStructure[];

/** The groups of which a structure leaves values free; it fixes the others. */
export type FreeGroup<S extends GdnStructure> = {
  [G in TiedGroup]: (typeof rules)[S][G] extends FreeTie ? G : never;
}[TiedGroup];

export function freeGroups(structure: GdnStructure): readonly TiedGroup[] {
  return tiedGroups.filter((group) => ruleOf(structure)[group].isFree);
}

function ruleOf(structure: GdnStructure): StructureRule {
  return rules[structure];
}

/** Whether entries are the free parameters themselves, in their order. */
export function isUntied(structure: GdnStructure): boolean {
  return tiedGroups.every((group) => ruleOf(structure)[group] === own);
}

/** How the kernels store a layer of this structure. */
export function formOf(structure: GdnStructure): GdnForm {
  return ruleOf(structure).form;
}

/**
 * An entry: of component i pooling j (i itself in vectors), and the free parameter it takes; −1: it
 * is fixed.
 */
type EntryVisitor = (entry: number, source: number, i: number, j: number) => void;

/** Calls `visit` for every entry of a group, in order. */
export function visitEntries(
  { structure, dimension: n, partition }: StructureSize,
  group: TiedGroup,
  visit: EntryVisitor,
): void {
  const form = formOf(structure);
  const tie = ruleOf(structure)[group];
  const subspaces = partition ?? new Int32Array(0);
  if (!isMatrixIn(form, group)) {
    // (The weights of a low rank are tied in no structure, and nobody visits them.)
    for (let i = 0; i < n; i++) visit(i, tie.source(i, i, i, subspaces), i, i);
    return;
  }
  for (let i = 0, k = 0; i < n; i++) {
    for (let j = 0; j < n; j++, k++) visit(k, tie.source(k, i, j, subspaces), i, j);
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

/** Numbers of free parameters; 0 where the structure fixes a group. */
export function freeLengths(size: StructureSize): Record<TiedGroup, number> {
  const { structure, dimension: n, partition, rank } = size;
  const lengths = gdnLengths(formOf(structure), n, rank);
  const count = (group: TiedGroup): number =>
    ruleOf(structure)[group].count(n, partition ?? new Int32Array(0), lengths[group]);
  return {
    alpha: count("alpha"),
    beta: count("beta"),
    gamma: count("gamma"),
    epsilon: count("epsilon"),
  };
}

/** The value of those entries of a group that are no free parameter. */
export function fixedValue(structure: GdnStructure, group: TiedGroup): number {
  return ruleOf(structure)[group].fixed;
}

export type FreeParameters = StructureSize &
  Readonly<Record<TiedGroup, FloatArray>> & { readonly H: FloatArray | null };

/** The layer as the kernels take it: every entry with the value of its source. */
export function spreadOverEntries(layer: FreeParameters): GdnParameters {
  const { structure, dimension, rank, H } = layer;
  const form = formOf(structure);
  const lengths = gdnLengths(form, dimension, rank);
  const spread = (group: TiedGroup): FloatArray => {
    const free = layer[group];
    if (ruleOf(structure)[group] === own) return free;
    const entries = new (free.constructor as Float64ArrayConstructor)(lengths[group]);
    const fixed = fixedValue(structure, group);
    visitEntries(layer, group, (k, source) => {
      entries[k] = source < 0 ? fixed : free[source];
    });
    return entries;
  };
  return {
    form,
    dimension,
    ...(rank !== undefined && { rank }),
    H,
    alpha: spread("alpha"),
    beta: spread("beta"),
    gamma: spread("gamma"),
    epsilon: spread("epsilon"),
  };
}

/** The gradient of the free parameters: each collects those of all entries it stands for. */
export function collectOnFree(
  size: StructureSize,
  ofEntries: Readonly<Record<TiedGroup, FloatArray>>,
): Record<TiedGroup, FloatArray> {
  const lengths = freeLengths(size);
  const collect = (group: TiedGroup): FloatArray => {
    const entries = ofEntries[group];
    if (ruleOf(size.structure)[group] === own) return entries;
    // Float64: thousands of Float32 entries may end in one sum.
    const sums = new Float64Array(lengths[group]);
    visitEntries(size, group, (k, source) => {
      if (source >= 0) sums[source] += entries[k];
    });
    return (entries.constructor as Float64ArrayConstructor).from(sums);
  };
  return {
    alpha: collect("alpha"),
    beta: collect("beta"),
    gamma: collect("gamma"),
    epsilon: collect("epsilon"),
  };
}

/** γ as an N×N matrix, whatever the structure. */
export function pooledWeights(layer: FreeParameters): Float64Array {
  const { form, dimension: n, rank = 0, gamma } = spreadOverEntries(layer);
  if (form === "low-rank") return writeOutLowRank(gamma, n, rank);
  if (form !== "diagonal") return Float64Array.from(gamma);
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) matrix[i * n + i] = gamma[i];
  return matrix;
}
