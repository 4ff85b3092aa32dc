/** Mutual information depends on the order of the values of each coordinate alone: so both estimators begin with ranks. */
import { expected } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { normalQuantile } from "../../numbers/normal-quantile.js";
import { createRandom } from "../../random/random-stream.js";
import { checkSamples } from "../../transforms/checks.js";
import { stablySorted } from "./stable-sort.js";

/** For each pair the ranks of its values, 0 … n − 1, among those of the same coordinate. */
export interface PairRanks {
  readonly first: Uint32Array;
  readonly second: Uint32Array;
}

/** Ranks of checked pairs (x0, y0, x1, y1 …); there have to be `fewest`. */
export function ranksOf(pairs: FloatArray, fewest: number): PairRanks {
  const count = checkSamples(pairs, 2, "pairs");
  if (count < fewest) throw expected("pairs", `hold at least ${fewest} pairs`, count);
  return { first: coordinateRanks(pairs, 0), second: coordinateRanks(pairs, 1) };
}

/**
 * Equal values get neighbouring ranks in a random order, always the same one, but another in each coordinate. That adds independent noise to
 * each coordinate, smaller than the steps between its values, which leaves the mutual information of discrete values as it is; an order
 * by place would make two coordinates depend on each other wherever both are tied.
 */
function coordinateRanks(pairs: FloatArray, coordinate: 0 | 1): Uint32Array {
  const count = pairs.length / 2;
  const values = new Float64Array(count);
  // −0 + 0 is 0: the two differ in their bits alone.
  for (let i = 0; i < count; i++) values[i] = pairs[2 * i + coordinate] + 0;
  const order = stablySorted(createRandom(0, "ties", coordinate).permutation(count), values);
  const ranks = new Uint32Array(count);
  for (let r = 0; r < count; r++) ranks[order[r]] = r;
  return ranks;
}

/** The score of each rank: the quantile of the standard normal distribution at (rank + ½)/n. Symmetric to the bit. */
export function normalScores(count: number): Float64Array {
  const scores = new Float64Array(count);
  for (let r = 0; 2 * r < count - 1; r++) {
    scores[r] = normalQuantile((r + 0.5) / count);
    scores[count - 1 - r] = -scores[r];
  }
  return scores;
}
