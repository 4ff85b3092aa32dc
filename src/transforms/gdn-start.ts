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
}

/** ε α = 0.675 for every structure that leaves them free: well below 1, so that the start is invertible for certain. */
const exponentProduct = 0.675;

/**
 * Where a fit starts, in Float32: γ nearly diagonal where it is free (paper §3.2), and a pool as large as that of one component
 * where all pool alike.
 */
export function startingGdn({ structure, dimension: n, H = null, partition }: GdnStart): Gdn {
  const size = checkedSize({ structure, dimension: n, partition: partition ?? null });
  const lengths = freeLengths(size);
  const values = (group: TiedGroup, value: (k: number) => number): FloatArray =>
    Float32Array.from({ length: lengths[group] }, (_, k) => value(k));
  const hasOwnExponents = structure !== "radial" && structure !== "subspace";
  return gdn({
    ...size,
    H: H && Float32Array.from(H),
    alpha: values("alpha", () => 1.5),
    beta: values("beta", () => 1),
    gamma: values("gamma", (k) => startingWeight(size, k)),
    epsilon: values("epsilon", () => exponentProduct / (hasOwnExponents ? 1.5 : 2)),
  });
}

function startingWeight({ structure, dimension: n, partition }: StructureSize, k: number): number {
  if (structure === "marginal") return 0.5;
  if (structure === "general" || structure === "column") return k % (n + 1) === 0 ? 0.501 : 0.001;
  const pooled = partition ? partition.reduce((size, of) => size + (of === k ? 1 : 0), 0) : n;
  return 0.5 / pooled;
}
