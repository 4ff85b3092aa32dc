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
  /** Usually a whitening of the data; default: the identity. */
  readonly H?: ArrayLike<number> | null;
  /** Subspace of each component; for the structure "subspace" only. */
  readonly partition?: ArrayLike<number>;
  /** R; for the structure "low-rank" only. */
  readonly rank?: number;
  /**
   * Starts near the identity, as a layer on top of others does: small γ and ε, no pooling of other
   * components. Default false.
   */
  readonly isNearIdentity?: boolean;
}

/** ε α of the start: well below 1, so that it is invertible for every structure. */
const exponentProduct = 0.675;
/** ε α of a start near the identity: ε = 0.05 at α = 1.5. */
const smallExponentProduct = 0.075;

/**
 * Returns the start of a fit in Float32. A free γ is nearly diagonal (paper §3.2); a γ shared by
 * all components gives a pool as large as that of one component.
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
 * Returns g like the diagonal of a full γ; each column of U and V pools a group of neighbours, and
 * a little of all others. Columns must differ, because equal columns stay equal. Entries must not
 * be much smaller than a step of the fit: if all U_ir and V_jr become 0, so do their gradients.
 */
function lowRankWeights(
  { dimension: n, rank = 1 }: StructureSize,
  isNearIdentity: boolean,
): (k: number) => number {
  const [own, group] = isNearIdentity ? [0.1, 0.01] : [0.5, 0.25];
  const random = createRandom("start of low rank", n, rank);
  // The square of `size` is added N/R times, once for each neighbour.
  const size = Math.sqrt((group * Math.min(rank, n)) / n);
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
