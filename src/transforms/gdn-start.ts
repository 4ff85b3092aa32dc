import type { FloatArray } from "../kernels/kernels.js";
import { createRandom } from "../random/random-stream.js";
import { type Gdn, checkedSize, gdnOfAnyStructure } from "./gdn.js";
import {
  type GdnStructure,
  type StructureSize,
  type TiedGroup,
  freeLengths,
} from "./gdn-structures.js";

export interface GdnStart<S extends GdnStructure = GdnStructure> {
  readonly structure: S;
  readonly dimension: number;
  /** Usually a whitening of the data; left out: the identity. */
  readonly H?: ArrayLike<number> | null;
  /** Of the structure "subspace". */
  readonly partition?: ArrayLike<number>;
  /** Of the structure "low-rank". */
  readonly rank?: number;
  /**
   * A layer on top of others, which begins with hardly any effect: small γ without a pool in
   * common, small ε. Default false.
   */
  readonly isNearIdentity?: boolean;
}

/**
 * ε α = 0.675 for every structure that leaves them free: well below 1, so that the start is
 * invertible for certain.
 */
const exponentProduct = 0.675;
/** Of a layer near the identity: ε = 0.05 at α = 1.5. */
const smallExponentProduct = 0.075;

/**
 * Where a fit starts, in Float32: γ nearly diagonal where it is free (paper §3.2), and a pool as
 * large as that of one component where all pool alike.
 */
export function startingGdn<S extends GdnStructure>(start: GdnStart<S>): Gdn<S> {
  const { structure, dimension: n, H = null, partition, rank, isNearIdentity = false } = start;
  const size = checkedSize({
    structure,
    dimension: n,
    partition: partition ?? null,
    ...(rank !== undefined && { rank }),
  });
  const lengths = freeLengths(size);
  const values = (group: TiedGroup, value: (k: number) => number): FloatArray =>
    Float32Array.from({ length: lengths[group] }, (_, k) => value(k));
  const product = isNearIdentity ? smallExponentProduct : exponentProduct;
  const hasOwnExponents = structure !== "radial" && structure !== "subspace";
  return gdnOfAnyStructure({
    ...size,
    H: H && Float32Array.from(H),
    alpha: values("alpha", () => 1.5),
    beta: values("beta", () => 1),
    gamma: values("gamma", weightsOf(size, isNearIdentity)),
    epsilon: values("epsilon", () => product / (hasOwnExponents ? 1.5 : 2)),
  }) as Gdn<S>;
}

function weightsOf(size: StructureSize, isNearIdentity: boolean): (k: number) => number {
  if (size.structure === "low-rank") return lowRankWeights(size, isNearIdentity);
  return (k) => startingWeight(size, k, isNearIdentity);
}

/**
 * g as the diagonal of a full γ; each column of U and V has a group of neighbours, which pool each
 * other, and a little of all others. Columns that begin alike would stay alike, and where U_ir and
 * V_jr are 0 for all i, j their gradients are, too: entries much smaller than a step of the fit end
 * there, all at once.
 */
function lowRankWeights(
  { dimension: n, rank = 1 }: StructureSize,
  isNearIdentity: boolean,
): (k: number) => number {
  const [own, ofGroup] = isNearIdentity ? [0.1, 0.01] : [0.5, 0.25];
  const random = createRandom("start of low rank", n, rank);
  // a² for each of N/R neighbours.
  const size = Math.sqrt((ofGroup * Math.min(rank, n)) / n);
  return (k) => {
    if (k < n) return own;
    const [column, i] = [(Math.floor(k / n) - 1) % rank, k % n];
    const isMember = Math.floor((i * rank) / n) === column;
    return size * (isMember ? 0.75 + 0.5 * random.uniform() : 0.04 * random.uniform() + 0.001);
  };
}

function startingWeight(
  { structure, dimension: n, partition }: StructureSize,
  k: number,
  isNearIdentity: boolean,
): number {
  const [own, other] = isNearIdentity ? [0.1, 0] : [0.5, 0.001];
  if (structure === "marginal") return own;
  if (structure === "general" || structure === "column") {
    return k % (n + 1) === 0 ? own + other : other;
  }
  const pooled = partition ? partition.reduce((size, of) => size + (of === k ? 1 : 0), 0) : n;
  return own / pooled;
}
