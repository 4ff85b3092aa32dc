/**
 * Natural logarithm and exponential that give the same bits on every engine.
 *
 * ECMAScript leaves the last digits of Math.log and Math.exp to the engine; +, −, ×, ÷, Math.floor
 * and Math.fround are exactly specified. So these two use nothing else, and all that is built on
 * them is the same in Node, in every browser and on every processor. Their error is stated in
 * test/random/portable-math.test.ts.
 *
 * They are called for every pixel. So series only fill tables, once, and a call adds a short
 * polynomial to the nearest entry, as in Tang (1989, 1990), "Table-driven implementation of the
 * exponential function" and "… of the logarithm function in IEEE floating-point arithmetic".
 */

// ln 2 in two parts: the first has 21 trailing zero bits, so that k × ln2High is exact.
const ln2High = 6.9314718036912381649e-1;
const ln2Low = 1.90821492927058770002e-10;

/** The bits of a number, as two words. */
const float = new Float64Array(1);
const words = new Int32Array(float.buffer);
float[0] = 1;
/** Where the half with sign and exponent is: 1 has no bits in the other. */
const high = words[0] === 0 ? 1 : 0;
const low = 1 - high;

/**
 * 2^e at place e + 1024, for −1024 ≤ e < 1024. A table, since a number just written as words makes
 * the processor wait when it is read as a whole: longer than a call now takes.
 */
const powers = createPowers();

/** The upper word of √½ to 7 bits, where the table for logarithms begins. */
const logOrigin = 0x3fe6a000;
/**
 * Four numbers for each of 128 values c from √½ to √2, which have 7 bits after the leading one:
 * c, 1/c − 1, and two parts of ln c, the first with so few bits that adding k × ln2High is exact.
 */
const logTable = createLogTable();

/** Two parts of 2^(j/128) for 0 ≤ j < 128. */
const expTable = createExpTable();
const stepsPerUnit = 128 * Math.LOG2E;
const stepHigh = ln2High / 128;
const stepLow = ln2Low / 128;

/** ln x for normal x > 0 (not for subnormal numbers, which no caller produces). */
export function portableLog(x: number): number {
  // x = 2^k m, where c is the value of the table nearest to m.
  float[0] = x;
  const place = words[high] - logOrigin + 0x1000;
  const k = place >> 20;
  const entry = (place >> 11) & 0x1fc;
  const m = x * powers[(1024 - k) & 2047];
  // m = c (1 + r), |r| ≤ 2⁻⁸: the terms of ln (1 + r) after r⁷ are below 2⁻⁵⁸ r.
  // m − c is exact. So is r where c = 1, thus the result near 1 keeps its relative accuracy;
  // elsewhere the part of r that is rounded is added with the small terms.
  const distance = m - logTable[entry];
  const correction = distance * logTable[entry + 1];
  const r = distance + correction;
  const r2 = r * r;
  const tail = r2 * (r * (1 / 3) - 1 / 2 + r2 * (r * (1 / 5) - 1 / 4 + r2 * (r * (1 / 7) - 1 / 6)));
  const small = correction + tail + (logTable[entry + 3] + k * ln2Low);
  return k * ln2High + logTable[entry + 2] + (distance + small);
}

/** e^x for −700 ≤ x ≤ 700, where the result is a normal number. */
export function portableExp(x: number): number {
  // x = (k + j/128) ln 2 + r, |r| ≤ ln 2 / 256: the Taylor terms after r⁵ are below 2⁻⁶⁰.
  const steps = Math.floor(x * stepsPerUnit + 0.5);
  const r = x - steps * stepHigh - steps * stepLow;
  const r2 = r * r;
  const growth = r + r2 * (1 / 2 + r * (1 / 6) + r2 * (1 / 24 + r * (1 / 120)));
  const place = steps | 0;
  const entry = (place & 127) << 1;
  const root = expTable[entry];
  return (root + (expTable[entry + 1] + root * growth)) * powers[((place >> 7) + 1024) & 2047];
}

function createPowers(): Float64Array {
  const table = new Float64Array(2048);
  for (let e = 0, power = 1; e < 1024; e += 1, power *= 2) {
    table[1024 + e] = power;
    table[1024 - e] = 1 / power;
  }
  table[0] = table[1] / 2;
  return table;
}

function createLogTable(): Float64Array {
  const table = new Float64Array(4 * 128);
  words[low] = 0;
  for (let i = 0; i < 128; i += 1) {
    words[high] = logOrigin + (i << 13);
    const c = float[0];
    // ln c = 2 artanh s = 2 (s + s³/3 + s⁵/5 + …), |s| ≤ 0.172: the terms after s²³ are below 2⁻⁵⁹ s.
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

function createExpTable(): Float64Array {
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
