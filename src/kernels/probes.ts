/**
 * What both implementations of probe gradients share: where their random signs come from, and when
 * their series end.
 */

/** Terms of the series at most. */
export const mostTerms = 16;
/** The series end when the next term is below this, relative to the signs, over a whole leaf. */
export const probeTolerance = 0.05;

/** 32 random bits for a counter: a bijection whose output bits all depend on all input bits. */
export function mixedBits(counter: number): number {
  let h = counter >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

export function seedOfLeaf(seed: number, leaf: number): number {
  return mixedBits(mixedBits(seed) + leaf);
}

/** Sign of component i of sample s of a leaf: −1 or 1. */
export function signAt(leafSeed: number, n: number, s: number, i: number): number {
  const words = (n + 31) >>> 5;
  const draw = mixedBits(leafSeed + Math.imul(s * words + (i >>> 5), 0x9e3779b9));
  return (draw >>> (i & 31)) & 1 ? -1 : 1;
}
