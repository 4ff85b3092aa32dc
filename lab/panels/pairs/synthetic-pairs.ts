/**
 * Pairs with a known density:
 *
 *   elliptical    x = s A u                         one scale for both: RG can undo it, ICA cannot
 *   independent   x = R (s_1 u_1, s_2 u_2)          one scale each: ICA-MG can undo it, RG cannot
 *   curved        x = (u_1, b u_2 + c (u_1² − 1))   not symmetric about its mean: no single layer
 *                                                   can undo it
 *
 *   symbol  meaning
 *   u       standard normal
 *   s       √(ν/χ²_ν): heavy tails, as Student's t with ν = 5
 *   A       u_1, ρ u_1 + √(1 − ρ²) u_2: correlation ρ
 *   R       rotation by 30°
 */
import { type RandomStream, createRandom } from "../../../src/random/random-stream.js";
import type { SyntheticKind } from "./pair-source.js";

/** ν: the kurtosis is 9. */
const freedom = 5;
/** ρ and √(1 − ρ²) */
const [correlation, rest] = [0.6, 0.8];
const [cosine, sine] = [Math.sqrt(3) / 2, 0.5];
/** b and c */
const [width, bend] = [0.45, 0.6];

type Draw = (random: RandomStream) => readonly [first: number, second: number];

/** s */
function scale(random: RandomStream): number {
  let squares = 0;
  for (let k = 0; k < freedom; k++) {
    const value = random.normal();
    squares += value * value;
  }
  return Math.sqrt(freedom / squares);
}

const draws: Readonly<Record<SyntheticKind, Draw>> = {
  elliptical(random) {
    const common = scale(random);
    const first = random.normal();
    return [common * first, common * (correlation * first + rest * random.normal())];
  },
  independent(random) {
    const first = scale(random) * random.normal();
    const second = scale(random) * random.normal();
    return [cosine * first - sine * second, sine * first + cosine * second];
  },
  curved(random) {
    const first = random.normal();
    return [first, width * random.normal() + bend * (first * first - 1)];
  },
};

/** Returns pairs, count×2. */
export function syntheticPairs(kind: SyntheticKind, count: number, seed: string): Float64Array {
  const random = createRandom(seed, "synthetic pairs", kind);
  const pairs = new Float64Array(2 * count);
  for (let k = 0; k < pairs.length; k += 2) pairs.set(draws[kind](random), k);
  return pairs;
}
