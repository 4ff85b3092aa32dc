/**
 * Frequencies ω = 2π (u/w, v/h) of a field of w×h locations. Weights are real, so F̂(−ω) is the
 * conjugate of F̂(ω): one of the two is enough, and counts twice. The half grid has u = 0 … w/2,
 * and for u = 0 or w/2 only v = 0 … h/2.
 */
import { expected } from "../../errors.js";
import { square } from "../../numbers/square.js";
import { type UnitRoot, unitRoot } from "../../numbers/unit-root.js";
import type { RandomStream } from "../../random/random-stream.js";
import { checkFields } from "../checks.js";
import type { GridSize } from "../field.js";

export interface Frequency {
  /** Cycles along the width. */
  readonly u: number;
  /** Cycles along the height. */
  readonly v: number;
  /** Weight in a sum over all frequencies. */
  readonly weight: number;
  /** Additional weight in gradients alone; default 0. */
  readonly additionalWeight?: number;
}

/** Random sample of the frequencies, weighted so that sums over it are unbiased. */
export interface FrequencySample {
  readonly count: number;
  readonly random: RandomStream;
  /**
   * Number of lowest frequencies that are always included; default 0. Filters that whiten
   * photographs suppress them, so they dominate gradients, and sampling them would add noise.
   */
  readonly lowest?: number;
}

/** Returns half of the grid, sorted by u, then v. */
export function halfGrid({ width, height }: GridSize): Frequency[] {
  const frequencies: Frequency[] = [];
  for (let u = 0; 2 * u <= width; u++) {
    const isOwnOpposite = (2 * u) % width === 0;
    for (let v = 0; v < height && !(isOwnOpposite && 2 * v > height); v++) {
      const weight = isOwnOpposite && (2 * v) % height === 0 ? 1 : 2;
      frequencies.push({ u, v, weight });
    }
  }
  return frequencies;
}

/** Returns all frequencies, or a sample of them. */
export function frequenciesOf(grid: GridSize, sample?: FrequencySample): readonly Frequency[] {
  const all = halfGrid(grid);
  if (!sample) return all;
  checkFields("frequencies", sample, ["count", "random", "lowest"]);
  const { count, random, lowest = 0 } = sample;
  if (!Number.isInteger(count) || count < 1) {
    throw expected("the count of frequencies", "be a positive integer", count);
  }
  if (!(Number.isInteger(lowest) && lowest >= 0 && lowest < count)) {
    throw expected("the lowest of the frequencies", `be an integer from 0 to ${count - 1}`, lowest);
  }
  if (count >= all.length) return all;
  const rising = lowest === 0 ? all : byRisingDistance(all, grid);
  return [...rising.slice(0, lowest), ...drawn(rising.slice(lowest), count - lowest, random)];
}

/** Returns the frequencies with an additional weight of frequency 0 in gradients. */
export function withMeans(
  frequencies: readonly Frequency[],
  additionalWeight: number,
): readonly Frequency[] {
  const isMean = ({ u, v }: Frequency): boolean => u === 0 && v === 0;
  if (!frequencies.some(isMean)) {
    return [{ u: 0, v: 0, weight: 0, additionalWeight }, ...frequencies];
  }
  return frequencies.map((one) => (isMean(one) ? { ...one, additionalWeight } : one));
}

/** Draws without replacement and keeps the order. */
function drawn(all: readonly Frequency[], count: number, random: RandomStream): Frequency[] {
  const chosen = Array.from(random.permutation(all.length).subarray(0, count)).sort(
    (a, b) => a - b,
  );
  const share = all.length / count;
  return chosen.map((k) => ({ ...all[k], weight: share * all[k].weight }));
}

/** Sorts by |ω|², stably. */
function byRisingDistance(all: readonly Frequency[], { width, height }: GridSize): Frequency[] {
  const squared = ({ u, v }: Frequency): number =>
    square(Math.min(u, width - u) / width) + square(Math.min(v, height - v) / height);
  return all.toSorted((a, b) => squared(a) - squared(b));
}

/** Returns e^(2πi k q/n) for `count` integers q from `first` on. */
export function phasesOf(k: number, n: number, first: number, count: number): UnitRoot[] {
  return Array.from({ length: count }, (_, t) => unitRoot(wrapped(k * (first + t), n), n));
}

/** Returns k modulo n, from 0 to n − 1. */
export function wrapped(k: number, n: number): number {
  return ((k % n) + n) % n;
}
