import { describe, expect, test } from "vitest";
import { mapMarginals } from "../../paper/parts/cascade-marginals.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

/**
 * Two maps: normal with mean 0.25 and deviation 1.2, and the difference of two exponential
 * variables (Laplace's, variance 2).
 */
function fieldOf(width: number, height: number, k: number) {
  const random = createRandom(seed, "marginals", k);
  const values = new Float32Array(2 * width * height);
  for (let p = 0; p < width * height; p++) {
    values[2 * p] = 0.25 + 1.2 * random.normal();
    values[2 * p + 1] = Math.log((1 - random.uniform()) / (1 - random.uniform()));
  }
  return { width, height, maps: 2, values };
}
const fields = [fieldOf(120, 80, 0), fieldOf(90, 100, 1)];

describe("marginals of maps", () => {
  test("has kurtosis and divergence of each map, scaled to variance 1", () => {
    const { divergenceInNats, excessKurtosis, variance, histograms } = mapMarginals(fields, {
      scaled: true,
    });
    // Standard errors with 18,600 values: √(24/n) = 0.04 for normal ones; Laplace's kurtosis has a
    // few tenths.
    expect(Math.abs(excessKurtosis[0])).toBeLessThan(0.16);
    expect(Math.abs(excessKurtosis[1] - 3)).toBeLessThan(1.2);
    expect(Math.abs(variance[0] - 1.44)).toBeLessThan(0.06);
    expect(Math.abs(variance[1] - 2)).toBeLessThan(0.2);
    // χ² with about 80 degrees of freedom, by 2n: 12.6/37,200 = 3.4e-4, and four times as much.
    expect(Math.abs(divergenceInNats[0])).toBeLessThan(1.4e-3);
    // ½ ln 2π + ½ − ln(√2 e) = 0.0724 with all detail; bins lose a little.
    expect(Math.abs(divergenceInNats[1] - 0.0724)).toBeLessThan(0.012);
    expect(histograms.map(({ total }) => total)).toEqual([18_600, 18_600]);
  });

  test("counts a wrong mean and variance without scaling", () => {
    const { divergenceInNats } = mapMarginals(fields);
    // The divergence of N(0.25, 1.44) from N(0, 1) is ½ (1.44 + 0.0625 − 1 − ln 1.44) = 0.0689.
    // One bin holds all values that are rare for N(0, 1).
    expect(Math.abs(divergenceInNats[0] - 0.0689)).toBeLessThan(0.01);
  });

  test("accepts a constant map", () => {
    const flat = { width: 4, height: 3, maps: 1, values: new Float32Array(12).fill(2) };
    expect(mapMarginals([flat], { scaled: true }).variance[0]).toBe(0);
  });
});
