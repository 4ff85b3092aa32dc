/** Numbers with their values without each group of images, for standard errors by the jackknife. */
import { jackknifeError, meanOf } from "../../src/numbers/means.js";

export interface LeftOut {
  readonly value: number;
  /** Values without each group; all numbers of an experiment have the same groups. */
  readonly without: readonly number[];
}

/** Each group takes as long as the number itself. */
const mostGroups = 8;

/** First image of each group of neighbouring images, and the end. */
export function groupStarts(images: number): number[] {
  const count = Math.min(mostGroups, images);
  return Array.from({ length: count + 1 }, (_, g) => Math.floor((g * images) / count));
}

/** Measures all images, and all without each group. */
export function leavingOut<T, R>(images: readonly T[], measure: (of: readonly T[]) => R) {
  const starts = groupStarts(images.length);
  const without = starts.slice(1).map((end, g) => {
    const rest = images.filter((_, k) => k < starts[g] || k >= end);
    return measure(rest);
  });
  return { all: measure(images), without };
}

/** Combines numbers with the same groups, for example into a quotient. */
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

export function difference(a: LeftOut, b: LeftOut): LeftOut {
  return combined([a, b], ([first, second]) => first - second);
}

/** Standard error by the jackknife; NaN for a single group. */
export function standardErrorOf({ without }: LeftOut): number {
  return without.length < 2 ? NaN : jackknifeError(without);
}

/** A record with a value for each name. */
export function recordOf<Name extends string, T>(
  names: readonly Name[],
  make: (name: Name) => T,
): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;
}
