/** Four 32-bit words, the state of a xoroshiro128+ generator. */
export type Words = readonly [number, number, number, number];

/**
 * Returns a 128-bit hash of a list of texts, to seed independent generators.
 *
 * The length of each text is hashed, too, so that ["ab", "c"] and ["a", "bc"] differ. The lanes are
 * FNV-like (xor, multiply by an odd constant, rotate), chained so that each character reaches all
 * of them, and finished with MurmurHash3's avalanche. Not for secrets.
 */
export function hashPath(parts: readonly string[]): Words {
  return hashOf(parts.length, (absorb) => {
    for (const part of parts) {
      absorb(part.length);
      for (let i = 0; i < part.length; i += 1) absorb(part.charCodeAt(i));
    }
  });
}

/** Returns the same kind of hash of the bits of numbers of 4 or 8 bytes. */
export function hashBits(arrays: readonly ArrayBufferView[]): Words {
  return hashOf(arrays.length, (absorb) => {
    for (const { buffer, byteOffset, byteLength } of arrays) {
      absorb(byteLength);
      const words = new Int32Array(buffer, byteOffset, byteLength / 4);
      for (let k = 0; k < words.length; k += 1) absorb(words[k]);
    }
  });
}

function hashOf(parts: number, absorbAll: (absorb: (word: number) => void) => void): Words {
  let a = 0x243f6a88;
  let b = 0x85a308d3;
  let c = 0x13198a2e;
  let d = 0x03707344;
  const absorb = (word: number): void => {
    a = rotate(Math.imul(a ^ word, 0x239b961b), 15) + b;
    b = rotate(Math.imul(b ^ a, 0xab0e9789), 16) + c;
    c = rotate(Math.imul(c ^ b, 0x38b34ae5), 17) + d;
    d = rotate(Math.imul(d ^ c, 0xa1e38b93), 18) + a;
  };
  absorbAll(absorb);
  // Lets the last character reach every lane.
  for (let round = 0; round < 4; round += 1) absorb(parts);
  a = avalanche(a);
  b = avalanche(b ^ a);
  c = avalanche(c ^ b);
  d = avalanche(d ^ c);
  // From an all-zero state the generator would never leave zero.
  return (a | b | c | d) === 0 ? [1, 0, 0, 0] : [a, b, c, d];
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function avalanche(word: number): number {
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
