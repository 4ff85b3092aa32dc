/**
 * Natural logarithms, with the same bits in every engine.
 *
 * ECMAScript leaves the last digits of Math.log and similar functions to the engine. The functions
 * of this folder only use +, −, ×, ÷, Math.floor and Math.fround, which are exactly specified, and
 * Math.sqrt, which every engine rounds correctly. So results are the same in Node, in every browser
 * and on every processor. Errors: test/numbers/.
 *
 * They are called for every pixel. So series only fill tables, once, and a call adds a short
 * polynomial to the nearest entry, as in Tang (1990), "Table-driven implementation of the logarithm
 * function in IEEE floating-point arithmetic".
 */
import { ln2High, ln2Low } from "./exponential.js";
import { float, high, low, powersOfTwo, smallestNormal, words } from "./float-bits.js";

/** Upper word of √½ to 7 bits, where the table of logarithms starts. */
export const logOrigin = 0x3fe6a000;
/**
 * Four numbers for each of 128 values c from √½ to √2 with 7 bits after the leading one: c, 1/c −
 * 1, and two parts of ln c, the first with so few bits that adding k × ln2High is exact.
 */
export const logTable: Float64Array = createLogTable();

/** ln x for every x. */
export function portableLog(x: number): number {
  if (!(x >= smallestNormal && x <= Number.MAX_VALUE)) return logOfUnusual(x);
  // x = 2^k m; c is the value in the table nearest to m.
  float[0] = x;
  const place = words[high] - logOrigin + 0x1000;
  const k = place >> 20;
  const entry = (place >> 11) & 0x1fc;
  const m = x * powersOfTwo[(1024 - k) & 2047];
  // m = c (1 + r), |r| ≤ 2⁻⁸: the terms of ln (1 + r) after r⁷ are below 2⁻⁵⁸ r.
  // m − c is exact. So is r for c = 1, which keeps the relative accuracy near 1; elsewhere the
  // rounded part of r is added with the small terms.
  const distance = m - logTable[entry];
  const correction = distance * logTable[entry + 1];
  const r = distance + correction;
  const r2 = r * r;
  const tail = r2 * (r * (1 / 3) - 1 / 2 + r2 * (r * (1 / 5) - 1 / 4 + r2 * (r * (1 / 7) - 1 / 6)));
  const small = correction + tail + (logTable[entry + 3] + k * ln2Low);
  return k * ln2High + logTable[entry + 2] + (distance + small);
}

/** ln(1 + x), accurate for x near 0. */
export function portableLog1p(x: number): number {
  const sum = 1 + x;
  // Infinite, NaN, or at the end of the domain: no correction needed.
  if (!(sum > 0 && sum <= Number.MAX_VALUE)) return portableLog(sum);
  if (sum === 1) return x;
  // Rounding error of the sum: exact, because the larger of 1 and x is subtracted first.
  const lost = x > 1 ? 1 - (sum - x) : x - (sum - 1);
  return portableLog(sum) + lost / sum;
}

/** Handles 0, infinity, subnormal numbers, negative numbers and NaN. */
function logOfUnusual(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return NaN;
  if (x === Infinity) return x;
  return portableLog(x * 2 ** 54) - 54 * Math.LN2;
}

function createLogTable(): Float64Array {
  const table = new Float64Array(4 * 128);
  words[low] = 0;
  for (let i = 0; i < 128; i += 1) {
    words[high] = logOrigin + (i << 13);
    const c = float[0];
    // ln c = 2 artanh s = 2 (s + s³/3 + s⁵/5 + …), |s| ≤ 0.172: the terms after s²³ are below 2⁻⁵⁹
    // s.
    const s = (c - 1) / (c + 1);
    const s2 = s * s;
    let tail = 0;
    for (let n = 23; n > 1; n -= 2) tail = tail * s2 + 1 / n;
    // With only 24 bits of s, its product with the 10 bits of c + 1 is exact.
    const sHigh = Math.fround(s);
    const sLow = (c - 1 - sHigh * (c + 1)) / (c + 1);
    table[4 * i] = c;
    table[4 * i + 1] = (1 - c) / c;
    table[4 * i + 2] = 2 * sHigh;
    table[4 * i + 3] = 2 * (sLow + s * s2 * tail);
  }
  return table;
}
