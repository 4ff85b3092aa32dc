import { describe, expect, test } from "vitest";
import { standardNormal } from "../../src/evaluation/reference-densities.js";
import { incompleteGamma } from "../../src/numbers/incomplete-gamma.js";
import {
  chiCdf,
  chiQuantile,
  normalQuantile,
  quickNormalTails,
} from "../../src/numbers/normal-distribution.js";
import { expectClose } from "../support/expect-close.js";

describe("normalQuantile", () => {
  test("is the inverse of the distribution function, from 1e-300 to the middle", () => {
    for (let exponent = -300; exponent < -0.31; exponent += 0.37) {
      const p = 10 ** exponent;
      const x = normalQuantile(p);
      // A relative error e of x is an error x² e of p; both functions have errors near 1e-15.
      expectClose(standardNormal.cdf(x), p, { relative: 4e-15 * (1 + x * x) });
    }
  });

  test("is odd about ½", () => {
    for (const q of [2 ** -5, 0.25, 0.375, 0.4375, 0.5 - 2 ** -20]) {
      expect(normalQuantile(0.5 + q)).toBe(-normalQuantile(0.5 - q));
    }
    expect(normalQuantile(0.5)).toBe(0);
  });

  test("has the values of tables", () => {
    // To 16 digits: Wichura's check, and the usual 97.5 %.
    expectClose(normalQuantile(0.975), 1.959963984540054, { relative: 4 * Number.EPSILON });
    expectClose(normalQuantile(0.25), -0.6744897501960817, { relative: 4 * Number.EPSILON });
    expectClose(normalQuantile(1e-20), -9.262340089798408, { relative: 4 * Number.EPSILON });
  });

  test("increases where the formulas change", () => {
    const edge = Math.exp(-25);
    for (const p of [0.075, 0.925, edge]) {
      const values = [-2, -1, 0, 1, 2].map((k) => normalQuantile(p * (1 + k * 1e-12)));
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
  });
});

describe("chiQuantile", () => {
  // P(‖y‖ ≤ r) of 18 digits, by mpmath.
  test.each([
    [1, 0.3, 0.235822844377905266],
    [2, 1.5, 0.67534753264165027],
    [3, 2, 0.738535870050889378],
    [64, 5, 2.8488753312769792e-6],
    [64, 8, 0.523511694523741411],
    [256, 14, 0.00210042600903302484],
    [256, 16, 0.511754450904122901],
    [4096, 64, 0.502938495376779958],
  ])("of %i components has the length %d at its probability, to 1e-13", (n, r, p) => {
    expectClose(chiQuantile(p, n), r, { relative: 1e-13 });
    expectClose(chiCdf(r, n), p, { relative: 1e-12 });
  });

  test.each([1, 2, 3, 4, 7, 64, 257])(
    "is the inverse of the distribution function, N = %i",
    (n) => {
      for (const p of [1e-6, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-6]) {
        expectClose(chiCdf(chiQuantile(p, n), n), p, { absolute: 2e-15 * (10 + n) });
      }
    },
  );
});

test("quickNormalTails is within 1.2e-7 of the precise tails", () => {
  for (let x = 0; x < 12; x += 0.03) {
    expectClose(quickNormalTails(x), incompleteGamma(0.5, (x * x) / 2).upper, { relative: 1.2e-7 });
  }
});
