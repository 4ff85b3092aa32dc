import { describe, expect, it } from "vitest";
import {
  componentGaussianity,
  lengthBins,
  lengthGaussianity,
} from "../../src/evaluation/gaussianity.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

const [n, count] = [16, 20_000];
const normal = createRandom(seed, "gaussianity").normalFill(new Float32Array(n * count));

describe("how Gaussian transformed data are", () => {
  it("of normal vectors, all distances vanish but for the noise of the sample", () => {
    const length = lengthGaussianity(normal, n);
    // KS of a sample of count values is above 1.95 / √count once in 1000 times.
    expect(length.divergence).toBeLessThan(0.005);
    expect(length.kolmogorovSmirnov).toBeLessThan(1.95 / Math.sqrt(count));
    const components = componentGaussianity(normal, n);
    expect(components.divergence).toBeLessThan(0.001);
    expect(Math.abs(components.excessKurtosis)).toBeLessThan(0.05);
  });

  it("a common scale shows in the length and in the tails", () => {
    const scale = createRandom(seed, "scales").normalFill(new Float32Array(count));
    const mixed = normal.map((value, k) => value * Math.exp(0.5 * scale[Math.floor(k / n)]));
    expect(lengthGaussianity(mixed, n).divergence).toBeGreaterThan(0.3);
    const components = componentGaussianity(mixed, n);
    expect(components.excessKurtosis).toBeGreaterThan(2);
    expect(components.divergence).toBeGreaterThan(0.01);
  });

  it("the bins of lengths are around √n", () => {
    expect(lengthBins(64)).toEqual({ bins: 128, from: 2, to: 18 });
    expect(lengthBins(256)).toEqual({ bins: 256, from: 4, to: 36 });
  });
});
