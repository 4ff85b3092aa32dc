/**
 * The discrete Fourier transform of any length in Float64:
 *
 *   X_k = Σ_j x_j e^{−2πi jk/n}        x_j = 1/n Σ_k X_k e^{+2πi jk/n}
 *
 *   symbol  variable  range
 *   n       length    any positive integer
 *   j, k    –         0 … n − 1
 *
 * Cost: about 5 n log2 n operations where the prime factors of n are small, five times as many
 * where n is a large prime. The same bits on every engine.
 */
import { checkFields, expected } from "../errors.js";
import { butterflyStage } from "./butterflies.js";
import { chirpStage } from "./chirp-stage.js";
import { type ComplexArray, type Stage, complexArray } from "./complex-array.js";

/**
 * What is known of a length before there is data. Its memory is its own: one plan serves one caller
 * at a time.
 */
export interface FourierPlan {
  readonly length: number;
  readonly batch: number;
  /** In place: x becomes X. */
  forward(values: ComplexArray): void;
  /** In place: X becomes x. */
  inverse(values: ComplexArray): void;
}

export interface FourierPlanOptions {
  /**
   * Sequences that are transformed together, default 1: value j of sequence q is at place j · batch
   * + q.
   */
  readonly batch?: number;
}

export function fourierPlan(length: number, options: FourierPlanOptions = {}): FourierPlan {
  checkFields("the options", options, ["batch"]);
  const { batch = 1 } = options;
  for (const [name, value] of Object.entries({ length, batch })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  const transform = transformOf(length, batch);
  return {
    length,
    batch,
    forward(values) {
      requireLength(values, length * batch);
      transform(values);
    },
    inverse(values) {
      requireLength(values, length * batch);
      const { real, imaginary } = values;
      // With real and imaginary parts exchanged, the transform is its own inverse but for 1/n.
      transform({ real: imaginary, imaginary: real });
      for (let k = 0; k < real.length; k++) {
        real[k] /= length;
        imaginary[k] /= length;
      }
    },
  };
}

/** The forward transform in place, without checks. */
export function transformOf(length: number, batch: number): (values: ComplexArray) => void {
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
 * Large primes come first, where the sequences side by side are fewest and their chirps need the
 * least memory.
 */
function stagesOf(length: number, batch: number): Stage[] {
  const { large, small } = radicesOf(length);
  const stages: Stage[] = [];
  let [m, s] = [length, batch];
  for (const p of large) {
    m /= p;
    const padded = nextSmoothLength(2 * p - 1);
    stages.push(chirpStage({ p, m, s, padded }, transformOf(padded, s), transformOf(padded, 1)));
    s *= p;
  }
  for (const p of small) {
    m /= p;
    stages.push(butterflyStage(p, m, s));
    s *= p;
  }
  return stages;
}

function requireLength({ real, imaginary }: ComplexArray, length: number): void {
  for (const [name, { length: received }] of Object.entries({ real, imaginary })) {
    if (received !== length) throw expected(name, `hold ${length} values`, received);
  }
}

/** How the length of a Fourier transform is taken apart. */

/** Prime factors up to this are transformed by the definition; above it, chirps are cheaper. */
const largestDirectPrime = 50;

interface Radices {
  /** Primes too large for the definition, largest first. */
  readonly large: readonly number[];
  /** 4, 2, 3, 5 and other small primes. */
  readonly small: readonly number[];
}

/** Factors whose product is `length`. */
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

/** The least length from `least` on that has no factors but 2, 3 and 5. */
function nextSmoothLength(least: number): number {
  for (let length = least; ; length++) {
    let rest = length;
    for (const factor of [2, 3, 5]) while (rest % factor === 0) rest /= factor;
    if (rest === 1) return length;
  }
}
