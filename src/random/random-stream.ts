import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { expected } from "../errors.js";
import { hashPath } from "./hash.js";
import { nextNormal, uniformOf } from "./ziggurat.js";

/** Seed of a stream; 7, 7n and "7" are the same seed. */
export type Seed = number | bigint | string;
/** Part of the purpose of a stream, for example ("noise", 3); 3 and "3" are the same. */
export type Purpose = string | number;

// Not `2 ** n`, because ECMAScript leaves its last digits to the engine.
const twoTo24 = 0x100_0000;
const twoTo32 = 0x1_0000_0000;
const twoTo53 = 0x20_0000_0000_0000;

const algorithm = "xoroshiro128plus-1";

/** State of a stream; can be stored as JSON. */
export interface RandomState {
  readonly algorithm: typeof algorithm;
  /** The seed, then the purposes, from which child streams are derived. */
  readonly path: readonly string[];
  /** The 128 bits of the generator, as 32-bit integers. */
  readonly words: readonly number[];
}

/**
 * Returns the stream of random numbers of a seed and a purpose. The same arguments give the same
 * bits on every engine, independently of other streams.
 *
 * @example
 * ```js
 * import { createRandom } from "gaussianize";
 *
 * const random = createRandom(7, "dice");
 * console.log(random.integer(6) < 6, random.normalFill(new Float32Array(3)).length); // true 3
 * ```
 */
export function createRandom(seed: Seed, ...purpose: Purpose[]): RandomStream {
  return RandomStream.start([partOf(seed), ...purpose.map(partOf)]);
}

/** Requires a stream, of this or another copy of the library. */
export function requireRandom(random: RandomStream): void {
  const given = random as Partial<RandomStream> | null | undefined;
  if (typeof given?.integer === "function") return;
  throw expected("random", "be a random stream, as createRandom returns it,", random);
}

/** A reproducible sequence of random numbers (xoroshiro128+, period 2¹²⁸ − 1). */
export class RandomStream {
  /** Last argument of `integer` and its limit, kept because computing 2³² % below is slow. */
  private below = 1;
  private limit = twoTo32;

  private constructor(
    private readonly path: readonly string[],
    private readonly generator: ReturnType<typeof xoroshiro128plusFromState>,
  ) {}

  /** @internal Use {@link createRandom}. */
  static start(path: readonly string[]): RandomStream {
    return new RandomStream(path, xoroshiro128plusFromState(hashPath(path)));
  }

  /** Returns a stream that continues from a {@link state}. */
  static fromState(state: RandomState): RandomStream {
    if ((state.algorithm as string) !== algorithm) {
      throw expected("the algorithm of a random state", `be "${algorithm}"`, state.algorithm);
    }
    const { path, words } = state;
    const isWord = (word: number): boolean => Number.isInteger(word) && (word | 0) === word;
    if (words.length !== 4 || !words.every(isWord) || words.every((word) => word === 0)) {
      throw expected("the words of a random state", "be four 32-bit integers, not all 0", words);
    }
    return new RandomStream([...path], xoroshiro128plusFromState([...words]));
  }

  state(): RandomState {
    return { algorithm, path: [...this.path], words: [...this.generator.getState()] };
  }

  /**
   * Returns the child stream for a purpose. It depends only on the seed and the purposes, not on
   * how many numbers were drawn. `stream("a").stream("b")` is `stream("a", "b")`.
   */
  stream(...purpose: [Purpose, ...Purpose[]]): RandomStream {
    return RandomStream.start([...this.path, ...purpose.map(partOf)]);
  }

  /** Returns a uniform number in [0, 1), a multiple of 2⁻⁵³. */
  uniform(): number {
    const first = this.generator.next();
    return uniformOf(first, this.generator.next());
  }

  /**
   * Fills with uniform numbers in [0, 1). A Float32Array gets multiples of 2⁻²⁴, because rounding
   * 53 bits to Float32 could give 1.
   */
  uniformFill<T extends Float32Array | Float64Array>(out: T): T {
    if (out instanceof Float32Array) {
      for (let i = 0; i < out.length; i += 1) out[i] = (this.generator.next() >>> 8) / twoTo24;
    } else {
      for (let i = 0; i < out.length; i += 1) out[i] = this.uniform();
    }
    return out;
  }

  /** Returns a standard normal number. */
  normal(): number {
    return nextNormal(this.generator);
  }

  /** Fills with the same numbers as repeated calls of {@link normal}. */
  normalFill<T extends Float32Array | Float64Array>(out: T): T {
    for (let i = 0; i < out.length; i += 1) out[i] = nextNormal(this.generator);
    return out;
  }

  /** Returns a uniform integer from 0 to below − 1, without bias; `below` is at most 2⁵³. */
  integer(below: number): number {
    if (!Number.isInteger(below) || below < 1 || below > twoTo53) {
      throw expected("below", "be an integer from 1 to 2^53", below);
    }
    return below <= twoTo32 ? this.integerOf32Bits(below) : this.integerOf53Bits(below);
  }

  /** Returns the numbers 0 … length − 1 in random order. */
  permutation(length: number): Uint32Array<ArrayBuffer> {
    if (!Number.isInteger(length) || length < 0 || length > twoTo32 - 1) {
      throw expected("length", "be an integer from 0 to 2^32 − 1", length);
    }
    const order = new Uint32Array(length);
    for (let i = 0; i < length; i += 1) order[i] = i;
    return this.shuffle(order);
  }

  /** Reorders in place (Fisher–Yates) and returns its argument. */
  shuffle<T extends { length: number; [index: number]: unknown }>(items: T): T {
    for (let last = items.length - 1; last > 0; last -= 1) {
      const chosen = this.integerOf32Bits(last + 1);
      const kept = items[last];
      items[last] = items[chosen];
      items[chosen] = kept;
    }
    return items;
  }

  private integerOf32Bits(below: number): number {
    if (below !== this.below) {
      this.below = below;
      // Draws at or above the largest multiple of `below` would favour small remainders.
      this.limit = twoTo32 - (twoTo32 % below);
    }
    for (;;) {
      const draw = this.generator.next() >>> 0;
      if (draw < this.limit) return draw % below;
    }
  }

  private integerOf53Bits(below: number): number {
    const limit = twoTo53 - (twoTo53 % below);
    for (;;) {
      const draw = this.uniform() * twoTo53;
      if (draw < limit) return draw % below;
    }
  }
}

function partOf(part: Seed): string {
  if (typeof part === "number" && !Number.isFinite(part)) {
    throw expected("a seed or purpose", "be a finite number or a text", part);
  }
  return String(part);
}
