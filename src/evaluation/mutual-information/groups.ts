/**
 * Groups of dependent pairs: the pairs of one image depend on each other, images do not. Standard
 * errors come from leaving out one image after the other.
 */
import { expected } from "../../errors.js";

/** Result of both estimators of mutual information. */
export interface PairInformation {
  /** Mutual information; for independent coordinates below 0 as often as above. */
  readonly inBits: number;
  /**
   * Standard error over groups of pairs, by the jackknife. Without groups it is over single pairs,
   * which must then be independent; by nearest neighbours it is a tenth to a fifth too small.
   */
  readonly standardErrorInBits: number;
  /**
   * The estimate without each group, for errors of means and differences of estimates ({@link
   * jackknifeError}); null without groups.
   */
  readonly withoutGroupsInBits: Float64Array | null;
}

/** Start of each group of consecutive pairs, and the end; without sizes every pair is a group. */
export function groupBounds(sizes: ArrayLike<number> | undefined, count: number): Uint32Array {
  const groups = sizes?.length ?? count;
  if (groups < 2) throw expected("groups", "hold the sizes of at least 2 groups", groups);
  const bounds = new Uint32Array(groups + 1);
  let end = 0;
  for (let g = 0; g < groups; g++) {
    const size = sizes ? sizes[g] : 1;
    if (!Number.isInteger(size) || size < 1) {
      throw expected(`groups[${g}]`, "be a positive integer", size);
    }
    end += size;
    bounds[g + 1] = end;
  }
  if (end !== count) throw expected("groups", `add up to ${count} pairs`, end);
  return bounds;
}
