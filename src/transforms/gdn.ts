/**
 * Generalized divisive normalization, paper eq. (5), in any of its structures:
 *
 *   z = H x,   y_i = z_i / (β_i + Σ_j γ_ij |z_j|^α_ij)^ε_i
 *
 *   symbol  field    free values                         constraint
 *   H       H        N×N, null: identity                 non-singular
 *   α       alpha    by structure (gdn-structures.ts)    ≥ 1
 *   β       beta     by structure                        > 0
 *   γ       gamma    by structure                        ≥ 0, row i pools for output i
 *   ε       epsilon  by structure                        0 ≤ ε_i ≤ 1/α_ii
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import {
  type ArrayShape,
  type Checked,
  checkDimension,
  checkFields,
  entryName,
  finiteCopy,
  trusted,
  requireEach,
  requireNonSingular,
} from "./checks.js";
import {
  type FreeGroup,
  type GdnStructure,
  type StructureSize,
  type TiedGroup,
  eachGroup,
  fixedValue,
  formOf,
  freeLengths,
  gdnStructures,
  isMatrixIn,
  isUntied,
  largestRank,
  tiedGroups,
  visitEntries,
} from "./gdn-structures.js";

/** The empty array of a fixed group. */
type NoValues<A> = A & { readonly length: 0 };
/** Groups of a structure; the fixed ones are empty. */
type GroupsOf<S extends GdnStructure> = {
  readonly [G in TiedGroup]: G extends FreeGroup<S> ? FloatArray : NoValues<FloatArray>;
};
/** Rank, for the structure "low-rank" only. */
type RankOf<S extends GdnStructure> = S extends "low-rank"
  ? { readonly rank: number }
  : { readonly rank?: never };

interface LayerOf<S extends GdnStructure> extends Checked {
  readonly kind: "gdn";
  readonly structure: S;
  readonly dimension: number;
  /** Null for the identity. */
  readonly H: FloatArray | null;
  /** Subspace 0, 1, 2 … of each component. */
  readonly partition: S extends "subspace" ? Int32Array : null;
}

/** A layer of one structure, or of any. It holds free parameters only; fixed groups are empty. */
export type Gdn<S extends GdnStructure = GdnStructure> = S extends GdnStructure
  ? LayerOf<S> & GroupsOf<S> & RankOf<S>
  : never;

interface LayerInputOf<S extends GdnStructure> {
  readonly kind?: "gdn";
  readonly structure: S;
  readonly dimension: number;
  /** Default: the identity. */
  readonly H?: ArrayLike<number> | null;
}
type GroupInputsOf<S extends GdnStructure> = Readonly<Record<FreeGroup<S>, ArrayLike<number>>> &
  Readonly<Partial<Record<Exclude<TiedGroup, FreeGroup<S>>, NoValues<ArrayLike<number>>>>>;
type SizeInputsOf<S extends GdnStructure> = (S extends "subspace"
  ? {
      /** Subspace 0, 1, 2 … of each component. */
      readonly partition: ArrayLike<number>;
    }
  : { readonly partition?: null }) &
  (S extends "low-rank"
    ? {
        /** R of γ = diag(g) + U Vᵀ; gamma holds g, then the columns of U, then those of V. */
        readonly rank: number;
      }
    : { readonly rank?: never });
type InputOf<S extends GdnStructure> = LayerInputOf<S> & GroupInputsOf<S> & SizeInputsOf<S>;

/** Arguments for a layer of one structure, or of any, without its fixed groups. */
export type GdnInput<S extends GdnStructure = GdnStructure> = S extends GdnStructure
  ? InputOf<S>
  : never;

/** Arguments for a layer whose structure is known at run time only. */
export interface UntypedGdnInput extends SizeInput, Partial<Groups> {
  readonly kind?: "gdn";
  readonly H?: ArrayLike<number> | null;
}
type Groups = Readonly<Record<TiedGroup, ArrayLike<number>>>;
interface SizeInput {
  readonly structure: GdnStructure;
  readonly dimension: number;
  readonly partition?: ArrayLike<number> | null;
  readonly rank?: number;
}

const fields = ["kind", "structure", "dimension", "partition", "rank", "H", ...tiedGroups] as const;
/** Smallest normal Float32; the kernels would treat a smaller β as 0. */
const smallestBeta = 1.1754943508222875e-38;
/** ε_i = 1/α_ii, rounded to Float32, may be slightly above the bound. */
const roundingSlack = 1 + 2 ** -22;

/**
 * Returns a checked layer. It holds copies, which must not be changed (a Float32Array stays
 * Float32, all else becomes Float64). Errors name the parameter, the index, the value and the rule.
 *
 * @example
 * ```js
 * import { gdn } from "gaussianize";
 *
 * const groups = { beta: [1], gamma: [0.5], epsilon: [0.4] };
 * const layer = gdn({ structure: "radial", dimension: 3, ...groups });
 * console.log(layer.structure, layer.gamma); // radial Float64Array(1) [ 0.5 ]
 * ```
 */
export function gdn<S extends GdnStructure>(input: InputOf<S>): Gdn<S>;
export function gdn(input: GdnInput): Gdn;
export function gdn(input: object): unknown {
  return gdnOfAnyStructure(input as UntypedGdnInput);
}

/** Returns a checked layer of a structure that is known at run time only. */
export function gdnOfAnyStructure(input: UntypedGdnInput): Gdn {
  checkFields("the parameters of a layer", input, fields);
  const size = checkedSize(input);
  const { structure, dimension } = size;
  const lengths = freeLengths(size);
  const groups = eachGroup((group): FloatArray => {
    const shape = shapeOf(size, group, lengths[group]);
    if (shape.length > 0) return finiteCopy(group, input[group] as ArrayLike<number>, shape);
    const given = input[group]?.length ?? 0;
    if (given === 0) return new Float64Array(0);
    const fixed = fixedValue(structure, group);
    throw expected(group, `be left out (the structure ${structure} fixes it at ${fixed})`, given);
  });
  const { H } = input;
  const layer = {
    kind: "gdn",
    ...size,
    H: H ? finiteCopy("H", H, { length: dimension * dimension, matrix: dimension }) : null,
    ...groups,
  } as Gdn;
  checkValues(layer);
  if (layer.H) requireNonSingular("H", layer.H, dimension);
  return trusted<Gdn>(layer);
}

/** Returns a matrix shape if the free values are a matrix, else that of a list. */
export function shapeOf(size: StructureSize, group: TiedGroup, length: number): ArrayShape {
  const isMatrix = isUntied(size.structure) && isMatrixIn(formOf(size).form, group);
  return isMatrix ? { length, matrix: size.dimension } : { length };
}

function checkValues(layer: Gdn): void {
  const shape = (group: TiedGroup): ArrayShape => shapeOf(layer, group, layer[group].length);
  const { alpha, beta, gamma } = layer;
  requireEach("alpha", alpha, shape("alpha"), (value) => value >= 1, "be at least 1");
  requireEach("beta", beta, shape("beta"), (value) => value > 0, "be greater than 0");
  const inRange = (value: number): boolean => value >= smallestBeta;
  requireEach("beta", beta, shape("beta"), inRange, `be at least ${smallestBeta}`);
  requireEach("gamma", gamma, shape("gamma"), (value) => value >= 0, "be at least 0");
  checkExponents(layer, shape("alpha"));
}

function checkExponents(layer: Gdn, alphaShape: ArrayShape): void {
  const owners = ownExponents(layer);
  visitEntries(layer, "epsilon", (i, source) => {
    if (source < 0) return;
    const value = layer.epsilon[source];
    const bound = 1 / owners.value(i);
    if (value >= 0 && value <= bound * roundingSlack) return;
    const index = owners.source(i);
    const name = index === undefined ? "α" : entryName("alpha", index, alphaShape);
    throw expected(`epsilon[${source}]`, `lie from 0 to 1/${name} = ${bound}`, value);
  });
}

/** Returns α_ii of every component: its value, and the index of its parameter unless fixed. */
export function ownExponents(layer: Gdn): {
  readonly value: (i: number) => number;
  readonly source: (i: number) => number | undefined;
} {
  const values = new Float64Array(layer.dimension);
  const sources = new Array<number | undefined>(layer.dimension);
  const fixed = fixedValue(layer.structure, "alpha");
  visitEntries(layer, "alpha", (_, source, i, j) => {
    if (i !== j) return;
    values[i] = source < 0 ? fixed : layer.alpha[source];
    sources[i] = source < 0 ? undefined : source;
  });
  return { value: (i) => values[i], source: (i) => sources[i] };
}

/** Checks and returns the structure and sizes of a layer. */
export function checkedSize(input: SizeInput): StructureSize {
  const { structure, dimension } = input;
  checkStructure(structure);
  checkDimension(dimension);
  const rank = checkRank(input);
  return {
    structure,
    dimension,
    partition: checkPartition(input),
    ...(rank !== undefined && { rank }),
  };
}

export function checkStructure(structure: GdnStructure): void {
  if (gdnStructures.includes(structure)) return;
  throw expected("structure", `be one of ${gdnStructures.join(", ")}`, structure);
}

/** Returns the rank of the structure "low-rank"; other structures must not have one. */
export function checkRank(input: Pick<SizeInput, "structure" | "rank">): number | undefined {
  const { structure, rank } = input;
  if (structure !== "low-rank") {
    if (rank === undefined) return undefined;
    throw expected("rank", `be left out of the structure ${structure}`, rank);
  }
  if (Number.isInteger(rank) && Number(rank) >= 1 && Number(rank) <= largestRank) return rank;
  throw expected("rank", `be an integer from 1 to ${largestRank}`, rank);
}

/** Requires every component to be in one of the subspaces 0 … K − 1, none of them empty. */
function checkPartition({ structure, dimension, partition }: SizeInput): Int32Array | null {
  if (structure !== "subspace") {
    if (partition === undefined || partition === null) return null;
    throw expected("partition", `be left out of the structure ${structure}`, partition.length);
  }
  if (partition?.length !== dimension) {
    const rule = `give the subspace of each of the ${dimension} components`;
    throw expected("partition", rule, partition?.length);
  }
  const subspaces = Int32Array.from(partition);
  for (let i = 0; i < dimension; i++) {
    const isSubspace = subspaces[i] === partition[i] && subspaces[i] >= 0;
    if (!isSubspace) throw expected(`partition[${i}]`, "be an integer, 0 or more", partition[i]);
  }
  const present = new Set(subspaces);
  for (let k = 0; k < present.size; k++) {
    if (!present.has(k)) {
      const rule = `use every number from 0 to ${present.size - 1} for its ${present.size} subspaces`;
      throw expected("partition", rule, `none of ${k}`);
    }
  }
  return subspaces;
}
