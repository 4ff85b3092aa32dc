/**
 * Numbers with what they are without each group of images: enough for errors of means, differences
 * and quotients.
 */
import { jackknifeError, meanOf } from "../../src/numbers/means.js";

export interface LeftOut {
  readonly value: number;
  /** Without each group; all numbers of one experiment leave out the same. */
  readonly without: readonly number[];
}

/** At most so many groups: each takes as long as the number itself. */
const mostGroups = 8;

/** Where each group of neighbouring images begins, and the end. */
export function groupStarts(images: number): number[] {
  const count = Math.min(mostGroups, images);
  return Array.from({ length: count + 1 }, (_, g) => Math.floor((g * images) / count));
}

/** What is measured on all images, and on all but each group of them. */
export function leavingOut<T, R>(images: readonly T[], measure: (of: readonly T[]) => R) {
  const starts = groupStarts(images.length);
  const without = starts.slice(1).map((end, g) => {
    const rest = images.filter((_, k) => k < starts[g] || k >= end);
    return measure(rest);
  });
  return { all: measure(images), without };
}

/** A number made of others, such as a quotient, without the same groups. */
export function combined(
  numbers: readonly LeftOut[],
  combine: (values: readonly number[]) => number,
): LeftOut {
  return {
    value: combine(numbers.map(({ value }) => value)),
    without: numbers[0].without.map((_, g) => combine(numbers.map((of) => of.without[g]))),
  };
}

export function meanLeftOut(numbers: readonly LeftOut[]): LeftOut {
  return combined(numbers, meanOf);
}

/** By the jackknife; NaN where there is but one group. */
export function standardErrorOf({ without }: LeftOut): number {
  return without.length < 2 ? NaN : jackknifeError(without);
}
