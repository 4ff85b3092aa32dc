import { describe, expect, test } from "vitest";
import {
  layerOf,
  modelContributions,
  partsOfRows,
  poolContributions,
} from "../../src/evaluation/pooling.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";

const layer = gdn({
  structure: "column",
  dimension: 2,
  H: [1, 0, 0, 2],
  alpha: [1, 2],
  beta: [1, 1],
  gamma: [0.5, 0.25, 0.1, 0.4],
  epsilon: [0.4, 0.3],
});

describe("who divides whom", () => {
  test("uses the output of the stages before the layer", async () => {
    const { kernels } = await loadKernels();
    const doubled = affine({ dimension: 2, scale: [2, 2] });
    const model = { transform: cascade([doubled, layer]), about: {} };
    const x = Float32Array.of(1, 1, -3, 0);
    // z = (2, 4), (−6, 0): mean |z₁| = 4, mean z₂² = 8.
    const contributions = await modelContributions(new InlineRunner(kernels), model, x);
    [0.5 * 4, 0.25 * 8, 0.1 * 4, 0.4 * 8].forEach((value, k) => {
      expect(contributions[k]).toBeCloseTo(value, 5);
    });
    expect([...layerOf(model).H]).toEqual([1, 0, 0, 2]);
  });

  test("uses the first layer of a stack", async () => {
    const { kernels } = await loadKernels();
    const above = gdn({ ...layer, H: [3, 1, 0, 1], gamma: [0.1, 0.2, 0.3, 0.4] });
    const runner = new InlineRunner(kernels);
    const x = Float32Array.of(1, 1, -3, 0);
    const [one, stack] = [layer, cascade([layer, above])].map((transform) => ({
      transform,
      about: {},
    }));
    expect(layerOf(stack).H).toEqual(layer.H);
    expect(await modelContributions(runner, stack, x)).toEqual(
      await modelContributions(runner, one, x),
    );
  });

  test("scales rows by their largest value, and rejects models without filters", () => {
    expect([...partsOfRows(Float64Array.of(1, 2, 0, 0), 2)]).toEqual([0.5, 1, 0, 0]);
    const plain = affine({ dimension: 2, scale: [2, 2] });
    expect(() => layerOf({ transform: plain, about: {} })).toThrow(/have a GDN with filters H/);
  });
});

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
  test("is γ_ij mean |z_j|^α_ij", () => {
    const alpha = [1, 1.5, 2, 3];
    const gamma = [0.1, 0.2, 0.3, 0];
    const layer = gdn({ structure: "general", ...common, alpha, gamma });
    const wanted = [0, 1, 2, 3].map((k) => gamma[k] * mean(k % 2, alpha[k]));
    expectClose(poolContributions(layer, x), wanted, { relative: 1e-14 });
  });

  test("uses α_j for exponents by column", () => {
    const gamma = [0.1, 0.2, 0.3, 0.4];
    const layer = gdn({ structure: "column", ...common, alpha: [1.5, 3], gamma });
    const [a, b] = [mean(0, 1.5), mean(1, 3)];
    const wanted = [0.1 * a, 0.2 * b, 0.3 * a, 0.4 * b];
    expectClose(poolContributions(layer, x), wanted, { relative: 1e-14 });
  });

  test("multiplies the factors of pools of low rank", () => {
    // g = (0.1, 0), U = (1, 2), V = (0.3, 0.4)
    const gamma = [0.1, 0, 1, 2, 0.3, 0.4];
    const layer = gdn({ structure: "low-rank", rank: 1, ...common, alpha: [1.5, 3], gamma });
    const [a, b] = [mean(0, 1.5), mean(1, 3)];
    const wanted = [0.4 * a, 0.4 * b, 0.6 * a, 0.8 * b];
    expectClose(poolContributions(layer, x), wanted, { relative: 1e-14 });
  });

  test("is diagonal for marginal normalization, and uses x for z without H", () => {
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

  test("rejects invalid samples", () => {
    const layer = gdn({ structure: "column", ...common, alpha: [1, 1], gamma: [1, 0, 0, 1] });
    expectError(() => poolContributions(layer, new Float64Array(3)), {
      code: "invalid-argument",
      argument: "x",
    });
  });
});
