/**
 * Exponential function, with the same bits in every engine.
 *
 * A table of 2^(j/128) is filled once by a series; a call multiplies the nearest entry by a short
 * polynomial (Tang 1989, "Table-driven implementation of the exponential function in IEEE
 * floating-point arithmetic"). Error: test/numbers/exponential.test.ts.
 */
import { powersOfTwo } from "./float-bits.js";

// ln 2 in two parts: the first has 21 trailing zero bits, so that k × ln2High is exact.
export const ln2High = 6.9314718036912381649e-1;
export const ln2Low = 1.90821492927058770002e-10;

/** Two parts of 2^(j/128) for 0 ≤ j < 128. */
const table = createTable();
const stepsPerUnit = 128 * Math.LOG2E;
const stepHigh = ln2High / 128;
const stepLow = ln2Low / 128;

/** The result is a normal number for |x| up to this. */
const usual = 700;
/** e^x is infinite above, and 0 below these. */
const largest = 710;
const smallest = -746;

/** e^x for every x. */
export function portableExp(x: number): number {
  return expOfSum(x, 0);
}

/** Returns e^(x + rest), for |rest| < 2⁻⁴⁰ |x|: an exponent with extra digits. */
export function expOfSum(x: number, rest: number): number {
  if (!(x >= -usual && x <= usual)) return expFarOut(x, rest);
  const steps = Math.floor(x * stepsPerUnit + 0.5);
  const place = steps | 0;
  return rootAndGrowth(x, rest, steps) * powersOfTwo[((place >> 7) + 1024) & 2047];
}

/** Scales by 2^k in two factors, because 2^k itself may not be a normal number. */
function expFarOut(x: number, rest: number): number {
  if (x !== x) return NaN;
  if (x > largest) return Infinity;
  if (x < smallest) return 0;
  const steps = Math.floor(x * stepsPerUnit + 0.5);
  const k = steps >> 7;
  const half = k >> 1;
  return rootAndGrowth(x, rest, steps) * powersOfTwo[half + 1024] * powersOfTwo[k - half + 1024];
}

/**
 * e^(x + rest) / 2^k, where x = (k + j/128) ln 2 + r, |r| ≤ ln 2 / 256: the Taylor terms after r⁵
 * are below 2⁻⁶⁰.
 */
function rootAndGrowth(x: number, rest: number, steps: number): number {
  const r = x - steps * stepHigh - steps * stepLow + rest;
  const r2 = r * r;
  const growth = r + r2 * (1 / 2 + r * (1 / 6) + r2 * (1 / 24 + r * (1 / 120)));
  const entry = (steps & 127) << 1;
  const root = table[entry];
  return root + (table[entry + 1] + root * growth);
}

function createTable(): Float64Array {
  const table = new Float64Array(2 * 128);
  for (let j = 0; j < 128; j += 1) {
    // 2^(j/128) = 2^k e^r, |r| ≤ ½ ln 2: the Taylor terms after r¹³ are below 2⁻⁵⁷.
    const k = j < 64 ? 0 : 1;
    const rHigh = (j / 128 - k) * ln2High;
    const rLow = (j / 128 - k) * ln2Low;
    const r = rHigh + rLow;
    let tail = 0;
    for (let n = 13; n > 1; n -= 1) tail = (tail * r + 1) / n;
    // e^r = 1 + r + r² tail, where 1 + rHigh is exact.
    const rest = rLow + r * r * tail;
    const root = 1 + rHigh + rest;
    const lost = 1 + rHigh - root + rest;
    table[2 * j] = root * (1 + k);
    table[2 * j + 1] = lost * (1 + k);
  }
  return table;
}
