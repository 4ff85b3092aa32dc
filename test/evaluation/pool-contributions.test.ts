import { describe, expect, it } from "vitest";
import { poolContributions } from "../../src/evaluation/pool-contributions.js";
import { gdn } from "../../src/transforms/gdn.js";
import { expectClose } from "../support/expect-close.js";

const H = [1, -2, 0.5, 1];
// Two samples, and their z.
const x = Float64Array.of(1, 2, 0, 2);
const z = [
  [1 - 4, 0.5 + 2],
  [-4, 2],
];
const mean = (j: number, alpha: number): number =>
  (Math.abs(z[0][j]) ** alpha + Math.abs(z[1][j]) ** alpha) / 2;
const common = { dimension: 2, H, beta: [1, 1], epsilon: [0.3, 0.3] };

describe("poolContributions", () => {
  it("is γ_ij mean |z_j|^α_ij", () => {
    const alpha = [1, 1.5, 2, 3];
    const gamma = [0.1, 0.2, 0.3, 0];
    const layer = gdn({ structure: "general", ...common, alpha, gamma });
    const wanted = [0, 1, 2, 3].map((k) => gamma[k] * mean(k % 2, alpha[k]));
    expectClose(poolContributions(layer, x), wanted, { relative: 1e-14 });
  });

  it("takes α_j where exponents are those of columns", () => {
    const gamma = [0.1, 0.2, 0.3, 0.4];
    const layer = gdn({ structure: "column", ...common, alpha: [1.5, 3], gamma });
    const [a, b] = [mean(0, 1.5), mean(1, 3)];
    const wanted = [0.1 * a, 0.2 * b, 0.3 * a, 0.4 * b];
    expectClose(poolContributions(layer, x), wanted, { relative: 1e-14 });
  });

  it("multiplies the factors of pools of low rank", () => {
    // g = (0.1, 0), U = (1, 2), V = (0.3, 0.4)
    const gamma = [0.1, 0, 1, 2, 0.3, 0.4];
    const layer = gdn({ structure: "low-rank", rank: 1, ...common, alpha: [1.5, 3], gamma });
    const [a, b] = [mean(0, 1.5), mean(1, 3)];
    const wanted = [0.4 * a, 0.4 * b, 0.6 * a, 0.8 * b];
    expectClose(poolContributions(layer, x), wanted, { relative: 1e-14 });
  });

  it("is diagonal where each is normalized by itself, and takes x for z without an H", () => {
    const layer = gdn({
      structure: "marginal",
      ...common,
      H: null,
      alpha: [2, 1],
      gamma: [0.5, 2],
    });
    // Powers by logarithms are a rounding or two off.
    const found = poolContributions(layer, Float64Array.of(1, -2, 3, 4));
    expectClose(found, [2.5, 0, 0, 6], { relative: 1e-15 });
    expectClose(poolContributions(layer, Float64Array.of(0, 0, 3, 4)), [2.25, 0, 0, 4], {
      relative: 1e-15,
    });
  });

  it("refuses what are no samples", () => {
    const layer = gdn({ structure: "column", ...common, alpha: [1, 1], gamma: [1, 0, 0, 1] });
    expect(() => poolContributions(layer, new Float64Array(3))).toThrow("x to hold a whole number");
  });
});
