/** Random signs of probe gradients: the same in every kernel, engine, worker and rank. */

/** Returns 32 random bits for a counter: a bijection that mixes all bits of the input. */
export function mixedBits(counter: number): number {
  let h = counter >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/** Returns the seed of one part of a seeded whole, such as a leaf of a batch or a stage. */
export function seedOfPart(seed: number, part: number): number {
  return mixedBits(mixedBits(seed) + part);
}

/** Signs v of sample s of a leaf: n values −1 or 1, 32 from each draw. */
export function signsOf(leafSeed: number, n: number, s: number): Float64Array {
  const words = (n + 31) >>> 5;
  return Float64Array.from({ length: n }, (_, i) => {
    const draw = mixedBits(leafSeed + Math.imul(s * words + (i >>> 5), 0x9e3779b9));
    return (draw >>> (i & 31)) & 1 ? -1 : 1;
  });
}
