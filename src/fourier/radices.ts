/** How the length of a Fourier transform is taken apart. */

/** Prime factors up to this are transformed by the definition; above it, chirps are cheaper. */
const largestDirectPrime = 50;

export interface Radices {
  /** Primes too large for the definition, largest first. */
  readonly large: readonly number[];
  /** 4, 2, 3, 5 and other small primes. */
  readonly small: readonly number[];
}

/** Factors whose product is `length`. */
export function radicesOf(length: number): Radices {
  const [large, small]: [number[], number[]] = [[], []];
  let rest = length;
  for (; rest % 4 === 0; rest /= 4) small.push(4);
  for (let factor = 2; factor * factor <= rest; factor++) {
    for (; rest % factor === 0; rest /= factor) {
      (factor > largestDirectPrime ? large : small).push(factor);
    }
  }
  if (rest > 1) (rest > largestDirectPrime ? large : small).push(rest);
  return { large: large.toReversed(), small };
}

/** The least length from `least` on that has no factors but 2, 3 and 5. */
export function nextSmoothLength(least: number): number {
  for (let length = least; ; length++) {
    let rest = length;
    for (const factor of [2, 3, 5]) while (rest % factor === 0) rest /= factor;
    if (rest === 1) return length;
  }
}
