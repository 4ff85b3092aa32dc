import { describe, expect, it } from "vitest";
import { standardNormal } from "../../src/evaluation/reference-densities.js";
import { normalQuantile } from "../../src/numbers/normal-quantile.js";
import { expectClose } from "../support/expect-close.js";

describe("normalQuantile", () => {
  it("is the inverse of the distribution function, from 1e-300 to the middle", () => {
    for (let exponent = -300; exponent < -0.31; exponent += 0.37) {
      const p = 10 ** exponent;
      const x = normalQuantile(p);
      // A relative error e of x is one of x² e of p; ours and that of the distribution function are
      // near 1e-15.
      expectClose(standardNormal.cdf(x), p, { relative: 4e-15 * (1 + x * x) });
    }
  });

  it("is odd about ½", () => {
    for (const q of [2 ** -5, 0.25, 0.375, 0.4375, 0.5 - 2 ** -20]) {
      expect(normalQuantile(0.5 + q)).toBe(-normalQuantile(0.5 - q));
    }
    expect(normalQuantile(0.5)).toBe(0);
  });

  it("has the values of tables", () => {
    // To 16 digits: Wichura's own check, and the usual 97.5 %.
    expectClose(normalQuantile(0.975), 1.959963984540054, { relative: 4 * Number.EPSILON });
    expectClose(normalQuantile(0.25), -0.6744897501960817, { relative: 4 * Number.EPSILON });
    expectClose(normalQuantile(1e-20), -9.262340089798408, { relative: 4 * Number.EPSILON });
  });

  it("rises where the formulas change", () => {
    const edge = Math.exp(-25);
    for (const p of [0.075, 0.925, edge]) {
      const values = [-2, -1, 0, 1, 2].map((k) => normalQuantile(p * (1 + k * 1e-12)));
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
  });
});
