/**
 * Discrete Fourier transform of any length in Float64:
 *
 *   X_k = Σ_j x_j e^{−2πi jk/n}
 *
 *   symbol  variable  range
 *   n       length    any positive integer
 *   j, k    –         0 … n − 1
 *
 * Cost: about 5 n log2 n operations if the prime factors of n are small, five times as many if n is
 * a large prime. The bits are the same on every engine.
 */
import { butterflyStage } from "./butterflies.js";
import { chirpStage } from "./chirp-stage.js";
import { type ComplexArray, type Stage, complexArray } from "./complex-array.js";

/**
 * Returns a function that transforms `batch` sequences in place; value j of sequence q is at index
 * j · batch + q. It reuses memory, so it serves one caller at a time. With real and imaginary parts
 * exchanged it computes the inverse, without the factor 1/n.
 */
export function fourierTransform(length: number, batch: number): (values: ComplexArray) => void {
  const stages = stagesOf(length, batch);
  const spare = complexArray(stages.length > 0 ? length * batch : 0);
  return (values) => {
    let [from, to] = [values, spare];
    for (const stage of stages) {
      stage(from, to);
      [from, to] = [to, from];
    }
    if (from === values) return;
    values.real.set(from.real);
    values.imaginary.set(from.imaginary);
  };
}

/**
 * Large primes come first: with the fewest sequences side by side, chirps need the least memory.
 */
function stagesOf(length: number, batch: number): Stage[] {
  const { large, small } = radicesOf(length);
  const stages: Stage[] = [];
  let [m, s] = [length, batch];
  for (const p of large) {
    m /= p;
    const padded = nextSmoothLength(2 * p - 1);
    stages.push(
      chirpStage({ p, m, s, padded }, fourierTransform(padded, s), fourierTransform(padded, 1)),
    );
    s *= p;
  }
  for (const p of small) {
    m /= p;
    stages.push(butterflyStage(p, m, s));
    s *= p;
  }
  return stages;
}

/** Largest prime factor to transform by the definition; for larger ones chirps are cheaper. */
const largestDirectPrime = 50;

interface Radices {
  /** Primes too large for the definition, largest first. */
  readonly large: readonly number[];
  /** 4, 2, 3, 5 and other small primes. */
  readonly small: readonly number[];
}

/** Returns factors whose product is `length`. */
function radicesOf(length: number): Radices {
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

/** Returns the smallest length from `least` on whose only prime factors are 2, 3 and 5. */
function nextSmoothLength(least: number): number {
  for (let length = least; ; length++) {
    let rest = length;
    for (const factor of [2, 3, 5]) while (rest % factor === 0) rest /= factor;
    if (rest === 1) return length;
  }
}
