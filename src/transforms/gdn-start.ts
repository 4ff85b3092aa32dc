import type { FloatArray } from "../kernels/kernels.js";
import { type Gdn, checkedSize, gdn } from "./gdn.js";
import {
  type GdnStructure,
  type StructureSize,
  type TiedGroup,
  freeLengths,
} from "./gdn-structures.js";

export interface GdnStart {
  readonly structure: GdnStructure;
  readonly dimension: number;
  /** Usually a whitening of the data; left out: the identity. */
  readonly H?: ArrayLike<number> | null;
  /** Of the structure "subspace". */
  readonly partition?: ArrayLike<number>;
  /** A layer on top of others, which begins with hardly any effect: small γ without a pool in common, small ε. Default false. */
  readonly isNearIdentity?: boolean;
}

/** ε α = 0.675 for every structure that leaves them free: well below 1, so that the start is invertible for certain. */
const exponentProduct = 0.675;
/** Of a layer near the identity: ε = 0.05 at α = 1.5. */
const smallExponentProduct = 0.075;

/**
 * Where a fit starts, in Float32: γ nearly diagonal where it is free (paper §3.2), and a pool as large as that of one component
 * where all pool alike.
 */
export function startingGdn(start: GdnStart): Gdn {
  const { structure, dimension: n, H = null, partition, isNearIdentity = false } = start;
  const size = checkedSize({ structure, dimension: n, partition: partition ?? null });
  const lengths = freeLengths(size);
  const values = (group: TiedGroup, value: (k: number) => number): FloatArray =>
    Float32Array.from({ length: lengths[group] }, (_, k) => value(k));
  const product = isNearIdentity ? smallExponentProduct : exponentProduct;
  const hasOwnExponents = structure !== "radial" && structure !== "subspace";
  return gdn({
    ...size,
    H: H && Float32Array.from(H),
    alpha: values("alpha", () => 1.5),
    beta: values("beta", () => 1),
    gamma: values("gamma", (k) => startingWeight(size, k, isNearIdentity)),
    epsilon: values("epsilon", () => product / (hasOwnExponents ? 1.5 : 2)),
  });
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
