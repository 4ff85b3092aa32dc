/**
 * Pairs of one image depend on each other, images do not: standard errors come from leaving out one
 * image after the other.
 */
import { expected } from "../../errors.js";

/** What both estimators of mutual information return. */
export interface PairInformation {
  /**
   * Of both coordinates about each other; a little below 0 for independent coordinates as often as
   * above.
   */
  readonly inBits: number;
  /**
   * Over groups of pairs, by the jackknife; over single pairs where no groups were given, which
   * then must not depend on each other (and by neighbours a tenth to a fifth too small: neighbours
   * share what they tell).
   */
  readonly standardErrorInBits: number;
  /**
   * The estimate without each group, for errors of means and differences of estimates ({@link
   * jackknifeError}); null without groups.
   */
  readonly withoutGroupsInBits: Float64Array | null;
}

/**
 * Where each group of consecutive pairs begins, and the end; every pair is a group where no sizes
 * are given.
 */
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
