import { describe, expect, test } from "vitest";
import type { FloatArray, Kernels } from "../../src/kernels/kernels.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectSameBits } from "../support/expect-close.js";
import { errorInUlps, float32OfBits } from "./float32-ulps.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

/**
 * Units in the last place: half of one is the single rounding from Float64 to Float32; the rest is
 * the error before it, below 1e-11 of the value and hence 2e-4 units (kernels/elementary.ts).
 */
const largestError = 0.501;
const sweepLength = 250_000;

const infinity = 0x7f80_0000;
const largestFinite = float32OfBits(infinity - 1);
const smallestNormal = 2 ** -126;
const smallestDenormal = 2 ** -149;

export function describeElementaryFunctions({ kernels }: KernelsUnderTest): void {
  const exp = (x: FloatArray): FloatArray =>
    applied(
      kernels(),
      (k, out) => {
        k.exp(x, out);
      },
      x,
    );
  const log = (x: FloatArray): FloatArray =>
    applied(
      kernels(),
      (k, out) => {
        k.log(x, out);
      },
      x,
    );
  const pow = (base: FloatArray, exponent: FloatArray): FloatArray =>
    applied(
      kernels(),
      (k, out) => {
        k.pow(base, exponent, out);
      },
      base,
    );

  describe("exp, log and pow", () => {
    test(`exp is within ${largestError} units in the last place over the whole Float32 range`, () => {
      const random = createRandom(seed, "exp");
      // Most bit patterns give 0, 1 or ∞, so every second value lies where e^x is none of them.
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
      // Around 1 the result is near 0, where relative errors show.
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
        const any = float32OfBits(random.integer(infinity));
        base[k] = k % 4 === 0 ? 1 + 0.1 * Math.tanh(random.normal()) : any;
        exponent[k] = 60 * random.uniform() - 30;
        // Of every four exponents one brings the result into the range of Float32, one is of any
        // size.
        if (k % 4 === 1) exponent[k] = (200 * random.uniform() - 105) / Math.log(base[k]);
        if (k % 4 === 2) exponent[k] = float32OfBits(random.integer(2 ** 32));
      }
      const exact = (k: number): number => base[k] ** exponent[k];
      expectUlps(pow(base, exponent), sweepLength, exact, (k) => `${base[k]}^${exponent[k]}`);
    });

    test("exp has its IEEE 754 values at 0, ±∞ and NaN, and overflows and underflows where it must", () => {
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

    test("log has its IEEE 754 values at ±0, 1, ∞, NaN and below 0, and holds for denormals", () => {
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

    test("arrays of every length from 1 to 9, and longer than a block, give the values of their elements", () => {
      const x = createRandom(seed, "lengths").normalFill(new Float32Array(4101));
      const whole = exp(x);
      for (const length of [1, 2, 3, 4, 5, 6, 7, 8, 9, 4095, 4096, 4097]) {
        expectSameBits(exp(x.subarray(1, 1 + length)), whole.subarray(1, 1 + length));
      }
    });
  });
}

function applied(
  kernels: Kernels,
  operation: (kernels: Kernels, out: FloatArray) => void,
  { length }: FloatArray,
): FloatArray {
  const out = kernels.floats(length);
  operation(kernels, out);
  return out;
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
