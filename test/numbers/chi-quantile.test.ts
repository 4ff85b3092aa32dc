import { describe, it } from "vitest";
import { chiCdf, chiQuantile } from "../../src/numbers/chi-quantile.js";
import { expectClose } from "../support/expect-close.js";

describe("chiQuantile", () => {
  // P(‖y‖ ≤ r) of 18 digits, by mpmath.
  it.each([
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

  it.each([1, 2, 3, 4, 7, 64, 257])("is the inverse of the distribution function, N = %i", (n) => {
    for (const p of [1e-6, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-6]) {
      expectClose(chiCdf(chiQuantile(p, n), n), p, { absolute: 2e-15 * (10 + n) });
    }
  });
});
