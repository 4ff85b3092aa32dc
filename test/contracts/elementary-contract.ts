import { describe, expect, test } from "vitest";
import type { FloatArray, Kernels } from "../../src/kernels/kernels.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectSameBits } from "../support/expect-close.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

function float32OfBits(bits: number): number {
  words[0] = bits;
  return floats[0];
}

/**
 * Error in units in the last place: half a unit for the single rounding from Float64 to Float32,
 * and less than 2e-4 units before it (kernels/elementary.ts).
 */
const largestError = 0.501;
const sweepLength = 250_000;

const infinity = 0x7f80_0000;
const largestFinite = float32OfBits(infinity - 1);
const smallestNormal = 2 ** -126;
const smallestDenormal = 2 ** -149;

export function describeElementaryFunctions({ kernels }: KernelsUnderTest): void {
  const result = (x: FloatArray, compute: (k: Kernels, out: FloatArray) => void): FloatArray => {
    const out = kernels().floats(x.length);
    compute(kernels(), out);
    return out;
  };
  const exp = (x: FloatArray): FloatArray =>
    result(x, (k, out) => {
      k.exp(x, out);
    });
  const log = (x: FloatArray): FloatArray =>
    result(x, (k, out) => {
      k.log(x, out);
    });
  const pow = (base: FloatArray, exponent: FloatArray): FloatArray =>
    result(base, (k, out) => {
      k.pow(base, exponent, out);
    });

  describe("exp, log and pow", () => {
    test(`exp is within ${largestError} units in the last place over the whole Float32 range`, () => {
      const random = createRandom(seed, "exp");
      // Most bit patterns give 0, 1 or ∞, so every second value avoids these.
      const x = Float32Array.from({ length: sweepLength }, (_, k) =>
        k % 2 === 0 ? float32OfBits(random.integer(2 ** 32)) : 200 * random.uniform() - 108,
      );
      expectUlps(
        exp(x),
        x.length,
        (k) => Math.exp(x[k]),
        (k) => `exp(${x[k]})`,
      );
    });

    test(`log is within ${largestError} units in the last place over the whole Float32 range`, () => {
      const random = createRandom(seed, "log");
      // Near 1 the result is near 0, where relative errors are visible.
      const x = Float32Array.from({ length: sweepLength }, (_, k) =>
        k % 4 === 0 ? 1 + 0.01 * random.normal() : float32OfBits(random.integer(infinity)),
      );
      expectUlps(
        log(x),
        x.length,
        (k) => Math.log(x[k]),
        (k) => `log(${x[k]})`,
      );
    });

    test(`pow is within ${largestError} units in the last place, exponents −30 to 30 and beyond`, () => {
      const random = createRandom(seed, "pow");
      const base = new Float32Array(sweepLength);
      const exponent = new Float32Array(sweepLength);
      for (let k = 0; k < sweepLength; k += 1) {
        const positive = float32OfBits(random.integer(infinity));
        base[k] = k % 4 === 0 ? 1 + 0.1 * Math.tanh(random.normal()) : positive;
        exponent[k] = 60 * random.uniform() - 30;
        // One in four exponents brings the result into the range of Float32, one has any size.
        if (k % 4 === 1) exponent[k] = (200 * random.uniform() - 105) / Math.log(base[k]);
        if (k % 4 === 2) exponent[k] = float32OfBits(random.integer(2 ** 32));
      }
      const exact = (k: number): number => base[k] ** exponent[k];
      expectUlps(pow(base, exponent), sweepLength, exact, (k) => `${base[k]}^${exponent[k]}`);
    });

    test("exp has its IEEE 754 values at 0, ±∞ and NaN, and overflows and underflows correctly", () => {
      const x = Float32Array.of(
        0,
        -0,
        1,
        Infinity,
        -Infinity,
        NaN,
        88.722832,
        88.722847,
        -87.336548,
      );
      const edges = Float32Array.of(-103.278931, -103.972076, -103.972092, -104.5, 1e38, -1e38);
      const denormals = Float32Array.of(smallestDenormal, -smallestDenormal, smallestNormal);
      for (const values of [x, edges, denormals]) {
        expectSameBits(Float32Array.from(exp(values)), Float32Array.from(values, Math.exp));
      }
    });

    test("log has its IEEE 754 values at ±0, 1, ∞, NaN and below 0, and is right for denormals", () => {
      const x = Float32Array.of(0, -0, 1, Infinity, NaN, -1, -Infinity, -smallestDenormal);
      const edges = Float32Array.of(smallestDenormal, 3e-45, smallestNormal, largestFinite);
      for (const values of [x, edges]) {
        expectSameBits(Float32Array.from(log(values)), Float32Array.from(values, Math.log));
      }
    });

    test("pow has its IEEE 754 values at bases 0, 1 and ∞ and exponents 0, ±∞ and NaN", () => {
      const bases = [0, 1, Infinity, NaN, 0.5, 2, smallestDenormal, largestFinite];
      const exponents = [0, -0, 1, -1, 2.5, -2.5, Infinity, -Infinity, NaN, largestFinite];
      const pairs = bases
        .flatMap((base) => exponents.map((exponent) => [base, exponent]))
        // ECMAScript and IEEE 754 differ at 1^±∞ and 1^NaN: below.
        .filter(([base, exponent]) => base !== 1 || Number.isFinite(exponent));
      const base = Float32Array.from(pairs, ([value]) => value);
      const exponent = Float32Array.from(pairs, ([, value]) => value);
      const expected = Float32Array.from(pairs, ([b, e]) => Math.fround(b) ** Math.fround(e));
      expectSameBits(Float32Array.from(pow(base, exponent)), expected, "base^exponent");
    });

    test("1^±∞ and 1^NaN are NaN as in ECMAScript, and a base of −0 counts as 0", () => {
      const base = Float32Array.of(1, 1, 1, -0, -0, -0);
      const exponent = Float32Array.of(Infinity, -Infinity, NaN, 3, -3, 2);
      const expected = base.map((value, k) => Math.abs(value) ** exponent[k]);
      expectSameBits(Float32Array.from(pow(base, exponent)), expected, "base^exponent");
    });

    test("handles arrays of every length from 1 to 9, and longer than a block", () => {
      const x = createRandom(seed, "lengths").normalFill(new Float32Array(4101));
      const whole = exp(x);
      for (const length of [1, 2, 3, 4, 5, 6, 7, 8, 9, 4095, 4096, 4097]) {
        expectSameBits(exp(x.subarray(1, 1 + length)), whole.subarray(1, 1 + length));
      }
    });
  });
}

function expectUlps(
  actual: FloatArray,
  length: number,
  exact: (k: number) => number,
  describeCall: (k: number) => string,
): void {
  let worst = 0;
  let worstIndex = 0;
  for (let k = 0; k < length; k += 1) {
    const error = errorInUlps(actual[k], exact(k));
    if (error > worst) [worst, worstIndex] = [error, k];
  }
  const found = `${describeCall(worstIndex)} = ${exact(worstIndex)}, received ${actual[worstIndex]}`;
  expect(worst, `units in the last place at ${found}`).toBeLessThanOrEqual(largestError);
}

const double = new DataView(new ArrayBuffer(8));

/** Returns the distance between neighbouring Float32 numbers at a value; 2⁻¹⁴⁹ for denormals. */
function unitInLastPlace(value: number): number {
  double.setFloat64(0, value);
  const exponent = ((double.getUint32(0) >>> 20) & 0x7ff) - 1023;
  return 2 ** (Math.min(127, Math.max(-126, exponent)) - 23);
}

/**
 * Returns |actual − exact| in units in the last place of Float32. If the exact value is NaN or
 * rounds to ±∞, only that (or, from Float64 kernels, the exact value) counts as no error.
 */
function errorInUlps(actual: number, exact: number): number {
  if (actual === exact || (Number.isNaN(actual) && Number.isNaN(exact))) return 0;
  const rounded = Math.fround(exact);
  if (!Number.isFinite(rounded)) return actual === rounded ? 0 : Infinity;
  if (!Number.isFinite(actual)) return Infinity;
  return Math.abs(actual - exact) / unitInLastPlace(exact);
}
