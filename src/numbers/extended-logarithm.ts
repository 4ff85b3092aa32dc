/**
 * Logarithms to about 68 bits, as sums of two numbers. Powers need them, because the exponent
 * multiplies the error, and so do other bases, so that log2 8 and log10 1000 are exactly 3.
 *
 *   x = 2^k c (1 + r),   ln x = k ln 2 + ln c + ln(1 + r)
 *
 * r is split into a number of 24 bits, whose square is exact, and a rest.
 */
import { ln2High, ln2Low } from "./exponential.js";
import { float, high, powersOfTwo, smallestNormal, words } from "./float-bits.js";
import { logOrigin, logTable, portableLog } from "./logarithm.js";

/** ln c minus the two parts in the table of logarithms; filled on first use. */
let rests: Float64Array | undefined;

/** Smaller part of the last logarithm: a variable, to avoid allocating pairs. */
let lowerPart = 0;

/** Returns log2 x; exact for powers of two. */
export function portableLog2(x: number): number {
  return logOfBase(x, Math.LOG2E, 2.0355273740931033e-17);
}

/** Returns log10 x; exact for powers of ten that Float64 represents exactly. */
export function portableLog10(x: number): number {
  return logOfBase(x, Math.LOG10E, 1.098319650216765e-17);
}

/** Returns ln x times a factor in two parts. */
function logOfBase(x: number, factor: number, factorLow: number): number {
  if (!(x > 0 && x < Infinity)) return portableLog(x);
  const upper = extendedLog(x);
  const product = upper * factor;
  const lost = lostInProduct(upper, factor, product);
  return product + (lost + (lowerPart * factor + upper * factorLow));
}

/** Returns the larger part of ln x for 0 < x < ∞; `lowerPartOfLog()` returns the other. */
export function extendedLog(x: number): number {
  const isNormal = x >= smallestNormal;
  rests ??= createRests();
  const scaled = isNormal ? x : x * 2 ** 54;
  float[0] = scaled;
  const place = words[high] - logOrigin + 0x1000;
  const exponent = place >> 20;
  const k = isNormal ? exponent : exponent - 54;
  const entry = (place >> 11) & 0x1fc;
  const c = logTable[entry];
  const distance = scaled * powersOfTwo[(1024 - exponent) & 2047] - c;
  // 24 bits of r times the 8 bits of c are exact, and so is their difference from the distance.
  const r = Math.fround(distance / c);
  const rest = (distance - r * c) / c;
  const square = r * r;
  const full = r + rest;
  const tail = rest - (r + 0.5 * rest) * rest + full * full * full * seriesOf(full);
  const whole = k * ln2High + logTable[entry + 2];
  const first = whole + r;
  const second = first + logTable[entry + 3];
  const third = second - 0.5 * square;
  const lost =
    lostInSum(whole, r, first) +
    lostInSum(first, logTable[entry + 3], second) +
    lostInSum(second, -0.5 * square, third);
  const small = lost + (k * ln2Low + rests[entry >> 2] + tail);
  const upper = third + small;
  lowerPart = small - (upper - third);
  return upper;
}

/** Returns the smaller part of the last `extendedLog`. */
export function lowerPartOfLog(): number {
  return lowerPart;
}

/** Returns (ln(1 + r) − r + r²/2) / r³ for |r| ≤ 2⁻⁸, to 2⁻⁵⁶. */
function seriesOf(r: number): number {
  const r2 = r * r;
  const first = 1 / 3 - r * (1 / 4);
  const second = 1 / 5 - r * (1 / 6);
  const third = 1 / 7 - r * (1 / 8);
  return first + r2 * (second + r2 * (third + r2 * (1 / 9 - r * (1 / 10))));
}

/** Returns the rounding error of sum = a + b (Knuth). */
export function lostInSum(a: number, b: number, sum: number): number {
  const ofB = sum - a;
  return a - (sum - ofB) + (b - ofB);
}

/** Returns the rounding error of product = a × b (Dekker); both below 2⁹⁹⁰. */
export function lostInProduct(a: number, b: number, product: number): number {
  // Multiplying by 2²⁷ + 1 splits a number into halves of 26 bits, whose products are exact.
  const largeA = a * 134217729;
  const aHigh = largeA - (largeA - a);
  const aLow = a - aHigh;
  const largeB = b * 134217729;
  const bHigh = largeB - (largeB - b);
  const bLow = b - bHigh;
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

/**
 * Returns ln c minus its entries in the table of logarithms, from ln c = 2 (s + s³/3 + s⁵/5 + …)
 * with s = (c − 1)/(c + 1). All sums and products have two parts.
 */
function createRests(): Float64Array {
  return Float64Array.from({ length: 128 }, (_, i) => {
    const c = logTable[4 * i];
    const [sHigh, sLow] = quotientOf(c - 1, c + 1);
    const s2 = sHigh * sHigh;
    const s2Low = lostInProduct(sHigh, sHigh, s2) + 2 * sHigh * sLow;
    // 1/3 + s²/5 + s⁴/7 + …, by Horner's scheme.
    let [sum, sumLow] = [0, 0];
    for (let n = 33; n > 1; n -= 2) {
      const [part, partLow] = quotientOf(1, n);
      const product = sum * s2;
      const productLow = lostInProduct(sum, s2, product) + sum * s2Low + sumLow * s2;
      const next = part + product;
      sumLow = lostInSum(part, product, next) + partLow + productLow;
      sum = next;
    }
    // ln c = 2 s (1 + s² sum).
    const cube = s2 * sum;
    const cubeLow = lostInProduct(s2, sum, cube) + s2 * sumLow + s2Low * sum;
    const product = sHigh * cube;
    const productLow = lostInProduct(sHigh, cube, product) + sHigh * cubeLow + sLow * cube;
    // The table holds 2 sHigh rounded to 24 bits, and a second part: all differences are small.
    const difference = 2 * sHigh - logTable[4 * i + 2];
    const upper = difference + 2 * product;
    const upperLow = lostInSum(difference, 2 * product, upper);
    return upper - logTable[4 * i + 3] + (upperLow + 2 * (sLow + productLow));
  });
}

/** Returns a / b in two parts, for numbers of few bits. */
function quotientOf(a: number, b: number): [number, number] {
  const quotient = a / b;
  const product = quotient * b;
  return [quotient, (a - product - lostInProduct(quotient, b, product)) / b];
}
