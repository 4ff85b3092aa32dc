/** A number and its two words, in the same memory. */
export const float = new Float64Array(1);
export const words = new Int32Array(float.buffer);
float[0] = 1;
/** Index of the word with sign and exponent; the other word of 1 is 0. */
export const high = words[0] === 0 ? 1 : 0;
export const low = 1 - high;

export const smallestNormal = 2 ** -1022;

/**
 * 2^e at index e + 1024, for −1024 ≤ e < 1024. A table, because reading a number just after writing
 * its words stalls the processor.
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
