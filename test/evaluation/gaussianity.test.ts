import { describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import {
  componentGaussianity,
  leastGaussianDirections,
  lengthBins,
  lengthGaussianity,
  lengthsOf,
} from "../../src/evaluation/gaussianity.js";
import { excessKurtosis } from "../../src/evaluation/moments.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

const [n, count] = [16, 20_000];
const normal = createRandom(seed, "gaussianity").normalFill(new Float32Array(n * count));

describe("how Gaussian transformed data are", () => {
  test("all distances vanish for normal vectors, up to sampling noise", () => {
    const length = lengthGaussianity(normal, n);
    // KS of a sample of count values is above 1.95 / √count once in 1000 times.
    expect(length.divergence).toBeLessThan(0.005);
    expect(length.kolmogorovSmirnov).toBeLessThan(1.95 / Math.sqrt(count));
    const components = componentGaussianity(normal, n);
    expect(components.divergence).toBeLessThan(0.001);
    expect(Math.abs(components.excessKurtosis)).toBeLessThan(0.05);
  });

  test("a common scale shows in the length and in the tails", () => {
    const scale = createRandom(seed, "scales").normalFill(new Float32Array(count));
    const mixed = normal.map((value, k) => value * Math.exp(0.5 * scale[Math.floor(k / n)]));
    expect(lengthGaussianity(mixed, n).divergence).toBeGreaterThan(0.3);
    const components = componentGaussianity(mixed, n);
    expect(components.excessKurtosis).toBeGreaterThan(2);
    expect(components.divergence).toBeGreaterThan(0.01);
  });

  test("the bins of lengths are around √n", () => {
    expect(lengthBins(64)).toEqual({ bins: 128, from: 2, to: 18 });
    expect(lengthBins(256)).toEqual({ bins: 256, from: 4, to: 36 });
  });
});

describe("the least Gaussian directions", () => {
  test("are found in mixtures of heavy-tailed components", async () => {
    const { kernels } = await loadKernels();
    const count = 8000;
    const normal = createRandom(seed, "directions").normalFill(new Float64Array(3 * count));
    // Two heavy-tailed sources, turned by 45°: the mixture is half as far from normal.
    const mixed = new Float32Array(2 * count);
    for (let s = 0; s < count; s++) {
      const [a, b] = [normal[3 * s] ** 3, normal[3 * s + 1] ** 3];
      mixed.set([(a + b) * Math.SQRT1_2, (a - b) * Math.SQRT1_2], 2 * s);
    }
    const directions = await leastGaussianDirections(kernels, mixed, 2);
    const { y } = await gaussianize(new InlineRunner(kernels), directions, mixed);
    const column = (values: ArrayLike<number>, i: number) =>
      Float64Array.from({ length: count }, (_, s) => values[2 * s + i]);
    for (const i of [0, 1]) {
      expect(excessKurtosis(column(y, i))).toBeGreaterThan(1.4 * excessKurtosis(column(mixed, i)));
    }
  });

  test("are the lengths of rows", () => {
    expect([...lengthsOf(Float32Array.of(3, 4, 0, -5), 2)]).toEqual([5, 5]);
    expect(() => lengthsOf(new Float32Array(3), 2)).toThrow(/rows of 2 values/);
  });
});
