import { describe, expect, test } from "vitest";
import { incompleteGamma, logGamma } from "../../src/numbers/incomplete-gamma.js";
import { expectClose } from "../support/expect-close.js";

// Numbers with 18 digits are mpmath's, computed with 40.

describe("logGamma", () => {
  test("is ln (n − 1)! of integers and ½ ln π of a half", () => {
    let logFactorial = 0;
    for (let n = 1; n <= 170; n++) {
      expectClose(logGamma(n), logFactorial, { relative: 1e-14, scale: 1 });
      logFactorial += Math.log(n);
    }
    expectClose(logGamma(0.5), Math.log(Math.PI) / 2, { absolute: 1e-14 });
  });

  test.each([
    [0.1, 2.25271265173420596],
    [3.7, 1.42807232666538792],
    [1234.25, 7548.77142234579596],
    [2048, 13564.3263533846767],
  ])("of %d is %d to 1e-14", (a, value) => {
    expectClose(logGamma(a), value, { relative: 1e-14 });
  });
});

describe("incompleteGamma", () => {
  test("is 1 − e^−u for a = 1, and its two parts add up to 1", () => {
    for (const u of [1e-9, 0.3, 1, 1.999, 2, 2.001, 30, 700]) {
      const { lower, upper } = incompleteGamma(1, u);
      expectClose([lower, upper], [-Math.expm1(-u), Math.exp(-u)], { relative: 1e-12 });
    }
    for (const a of [0.5, 3, 128, 2048]) {
      for (const share of [0.5, 0.9, 1, 1.01, 1.1, 2]) {
        const { lower, upper } = incompleteGamma(a, a * share);
        expectClose(lower + upper, 1, { absolute: 1e-15 });
      }
    }
  });

  test("is 0 at 0 and 1 at infinity", () => {
    expect(incompleteGamma(3, 0)).toEqual({ lower: 0, upper: 1 });
    expect(incompleteGamma(3, Infinity)).toEqual({ lower: 1, upper: 0 });
  });
});
