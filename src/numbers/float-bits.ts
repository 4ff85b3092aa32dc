/** The bits of a Float64, and powers of two: what the functions of this folder share. */

/** A number and, in the same memory, its two words. */
export const float = new Float64Array(1);
export const words = new Int32Array(float.buffer);
float[0] = 1;
/** Index of the word with sign and exponent: 1 has no bits in the other. */
export const high = words[0] === 0 ? 1 : 0;
export const low = 1 - high;

export const smallestNormal = 2 ** -1022;

/**
 * 2^e at place e + 1024, for −1024 ≤ e < 1024. A table, since a number just written as words makes
 * the processor wait when it is read as a whole: longer than a call now takes.
 */
export const powersOfTwo: Float64Array = createPowers();

function createPowers(): Float64Array {
  const table = new Float64Array(2048);
  for (let e = 0, power = 1; e < 1024; e += 1, power *= 2) {
    table[1024 + e] = power;
    table[1024 - e] = 1 / power;
  }
  table[0] = table[1] / 2;
  return table;
}
