/**
 * Natural logarithm and exponential that give the same bits on every engine.
 *
 * ECMAScript leaves the last digits of Math.log and Math.exp to the engine; +, −, ×, ÷ and
 * Math.sqrt are exactly specified. So these two use nothing else, and random numbers built on
 * them are the same in Node, in every browser and on every processor. Their error against
 * Math.log and Math.exp is stated in test/random/portable-math.test.ts.
 */

// ln 2 in two parts: the first has 21 trailing zero bits, so that k × ln2High is exact.
const ln2High = 6.9314718036912381649e-1;
const ln2Low = 1.90821492927058770002e-10;

const bits = new DataView(new ArrayBuffer(8));

/** ln x for normal x > 0 (not for subnormal numbers, which no caller produces). */
export function portableLog(x: number): number {
  // x = 2^k m with m in [1, 2), then [√½, √2) so that the series below converges fast.
  bits.setFloat64(0, x);
  const high = bits.getUint32(0);
  let k = (high >>> 20) - 1023;
  bits.setUint32(0, (high & 0x000fffff) | 0x3ff00000);
  let m = bits.getFloat64(0);
  if (m > Math.SQRT2) {
    m *= 0.5;
    k += 1;
  }
  // ln m = 2 artanh s = 2 (s + s³/3 + s⁵/5 + …), |s| ≤ 0.172: the terms after s²³ are below 2⁻⁵⁹ s.
  const s = (m - 1) / (m + 1);
  const s2 = s * s;
  let tail = 1 / 23;
  for (let n = 21; n >= 3; n -= 2) tail = tail * s2 + 1 / n;
  return k * ln2High + (2 * s + (2 * s * s2 * tail + k * ln2Low));
}

/** e^x for −700 ≤ x ≤ 700, where the result is a normal number. */
export function portableExp(x: number): number {
  // x = k ln 2 + r with |r| ≤ ½ ln 2; the Taylor terms after r¹³ are below 2⁻⁵⁷.
  const k = Math.round(x * Math.LOG2E);
  const r = x - k * ln2High - k * ln2Low;
  let sum = 1;
  for (let n = 13; n >= 1; n -= 1) sum = 1 + (r * sum) / n;
  bits.setUint32(0, (k + 1023) << 20);
  bits.setUint32(4, 0);
  return sum * bits.getFloat64(0);
}
