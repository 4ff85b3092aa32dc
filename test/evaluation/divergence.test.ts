import { describe, expect, test } from "vitest";
import {
  klDivergence,
  kolmogorovSmirnov,
  kolmogorovSmirnovAtEdges,
} from "../../src/evaluation/divergence.js";
import { type Histogram, binEdge, histogramOf } from "../../src/evaluation/histogram.js";
import {
  type ReferenceDistribution,
  chiDistribution,
  probabilityBetween,
  standardNormal,
} from "../../src/evaluation/reference-densities.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

const uniform: ReferenceDistribution = {
  name: "uniform",
  density: (x) => (x >= 0 && x <= 1 ? 1 : 0),
  logDensity: (x) => (x >= 0 && x <= 1 ? 0 : -Infinity),
  cdf: (x) => Math.min(1, Math.max(0, x)),
  survival: (x) => 1 - Math.min(1, Math.max(0, x)),
};

/** Counts as they are expected of a normal distribution of another mean and deviation. */
function expectedCounts(mean: number, deviation: number, total: number): Histogram {
  const options = { bins: 400, from: -8, to: 8 };
  const at = (k: number) => (binEdge(options, k) - mean) / deviation;
  const counts = Float64Array.from(
    { length: options.bins },
    (_, k) => total * probabilityBetween(standardNormal, at(k), at(k + 1)),
  );
  const below = total * standardNormal.cdf(at(0));
  const above = total * standardNormal.survival(at(options.bins));
  return { ...options, counts, density: counts, below, above, total };
}

describe("klDivergence", () => {
  test("equals the value computed by hand for two bins and values outside", () => {
    const histogram = histogramOf([0.1, 0.2, 0.3, 0.9], { bins: 2, from: 0, to: 1 });
    const { inNats, bins, biasInNats } = klDivergence(histogram, uniform, { minimumExpected: 1 });
    expect(inNats).toBeCloseTo(0.75 * Math.log(1.5) + 0.25 * Math.log(0.5), 14);
    expect([bins, biasInNats]).toEqual([2, 1 / 8]);
  });

  test.each([
    [0, 1],
    [0.5, 1],
    [0, 1.3],
    [-0.2, 0.7],
  ])("of N(%d, %d²) from N(0, 1) is (m² + s² − 1)/2 − ln s to 1e-3", (mean, deviation) => {
    const closed = (mean ** 2 + deviation ** 2 - 1) / 2 - Math.log(deviation);
    const { inNats } = klDivergence(expectedCounts(mean, deviation, 1e12), standardNormal);
    // Bins hide what is different within them: less than the whole, and nearly all of it.
    expect(inNats).toBeLessThanOrEqual(closed + 1e-12);
    expect(inNats).toBeGreaterThan(closed - 1e-3);
  });

  test(`of samples of the distribution itself is its bias, (bins − 1)/2n (seed ${seed})`, () => {
    const [runs, n] = [100, 4000];
    let [sum, bias] = [0, 0];
    let freedom = 0;
    for (let run = 0; run < runs; run++) {
      const values = createRandom(seed, "bias", run).normalFill(new Float64Array(n));
      const histogram = histogramOf(values, { bins: 60, from: -5, to: 5 });
      const divergence = klDivergence(histogram, standardNormal);
      sum += divergence.inNats / runs;
      bias = divergence.biasInNats;
      freedom = divergence.bins - 1;
    }
    // 2n D is χ² with `freedom` degrees: its mean over runs deviates by √(2·freedom/runs); five of
    // them, and the bias of higher order, below 3 %.
    const deviation = Math.sqrt((2 * freedom) / runs) / (2 * n);
    expect(Math.abs(sum - bias)).toBeLessThan(5 * deviation + 0.03 * bias);
  });

  test("merges nearly empty bins, so that counts far out do not make it infinite", () => {
    const histogram = histogramOf([...Array<number>(100).fill(0.1), 50], {
      bins: 10,
      from: -100,
      to: 100,
    });
    const { inNats, bins } = klDivergence(histogram, standardNormal);
    expect(bins).toBe(2);
    expect(inNats).toBeGreaterThan(0.6);
    expect(inNats).toBeLessThan(1);
  });

  test("rejects a histogram without values", () => {
    const empty = histogramOf([], { bins: 2, from: 0, to: 1 });
    expect(() => klDivergence(empty, uniform)).toThrow("the histogram to hold values");
  });
});

describe("kolmogorovSmirnov", () => {
  test("is the largest step between a sample and the distribution function", () => {
    expect(kolmogorovSmirnov([0.5], uniform)).toBe(0.5);
    expect(kolmogorovSmirnov([0.9, 0.1, 0.3], uniform)).toBeCloseTo(2 / 3 - 0.3, 14);
    expect(() => kolmogorovSmirnov([], uniform)).toThrow("values to hold values");
  });

  test(`is below 2/√n for samples of the distribution itself (seed ${seed})`, () => {
    const [n, k] = [5000, 64];
    const random = createRandom(seed, "chi");
    const lengths = Float64Array.from({ length: n }, () =>
      Math.hypot(...random.normalFill(new Float64Array(k))),
    );
    const chi = chiDistribution(k);
    const exact = kolmogorovSmirnov(lengths, chi);
    // Exceeded by one sample in 1500.
    expect(exact).toBeLessThan(2 / Math.sqrt(n));
    const histogram = histogramOf(lengths, { bins: 200, from: 5, to: 11 });
    const atEdges = kolmogorovSmirnovAtEdges(histogram, chi);
    expect(atEdges).toBeLessThanOrEqual(exact + 1e-15);
    expect(atEdges).toBeGreaterThan(exact - Math.max(...histogram.counts) / n);
  });

  test("includes values below and above the bins", () => {
    const histogram = histogramOf([-1, 2], { bins: 1, from: 0, to: 1 });
    expect(kolmogorovSmirnovAtEdges(histogram, uniform)).toBe(0.5);
  });
});
