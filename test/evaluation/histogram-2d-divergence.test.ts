import { describe, expect, it } from "vitest";
import { klDivergence2d } from "../../src/evaluation/histogram-2d-divergence.js";
import { densityOnGrid } from "../../src/evaluation/histogram-2d-model.js";
import { histogram2dOf } from "../../src/evaluation/histogram-2d.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

const square = { bins: 48, from: -4, to: 4 };

/** N(mean, I) at each row of a batch. */
function normalAround(meanX: number, meanY: number) {
  return (points: Float64Array): Float64Array =>
    Float64Array.from({ length: points.length / 2 }, (_, i) => {
      const [x, y] = [points[2 * i] - meanX, points[2 * i + 1] - meanY];
      return -0.5 * (x * x + y * y) - Math.log(2 * Math.PI);
    });
}

function normalPairs(count: number, purpose: string): Float64Array {
  return createRandom(seed, "pairs", purpose).normalFill(new Float64Array(2 * count));
}

describe(`klDivergence2d (seed ${seed})`, () => {
  it("is 0 within its error for samples of the density itself", async () => {
    const count = 100_000;
    const density = await densityOnGrid(normalAround(0, 0), square);
    const { inBits, bins } = klDivergence2d(
      histogram2dOf(normalPairs(count, "itself"), square),
      density,
    );
    // n D in nats is half of a χ² with bins − 1 degrees of freedom; four standard deviations.
    const deviation = Math.sqrt((bins - 1) / 2) / (count * Math.LN2);
    expect(Math.abs(inBits)).toBeLessThan(4 * deviation);
    expect(bins).toBeGreaterThan(500);
  });

  it("takes off what it would be too large on average", async () => {
    const density = await densityOnGrid(normalAround(0, 0), square);
    const [runs, count] = [100, 4000];
    let [sum, bias, deviation] = [0, 0, 0];
    for (let run = 0; run < runs; run++) {
      const histogram = histogram2dOf(normalPairs(count, `run ${run}`), square);
      const { inBits, biasInBits, bins } = klDivergence2d(histogram, density);
      sum += inBits / runs;
      bias = biasInBits;
      deviation = Math.sqrt((bins - 1) / 2) / (count * Math.LN2);
    }
    // Four standard errors of the mean; 0.5 % for what is of third order where a bin is expected to hold five.
    expect(Math.abs(sum)).toBeLessThan((4 * deviation) / Math.sqrt(runs) + 0.005 * bias);
    // Without it the mean would be far from 0.
    expect(bias).toBeGreaterThan(20 * (deviation / Math.sqrt(runs)));
  });

  it("is half of the squared distance of two normal densities, in nats", async () => {
    const count = 200_000;
    const density = await densityOnGrid(normalAround(0.3, -0.5), square);
    const { inBits } = klDivergence2d(
      histogram2dOf(normalPairs(count, "shifted"), square),
      density,
    );
    const distance2 = 0.3 ** 2 + 0.5 ** 2;
    // The log ratio has the variance ‖shift‖²; bins hide less than 2 % of the divergence.
    const deviation = Math.sqrt(distance2 / count) / Math.LN2;
    const closedForm = distance2 / 2 / Math.LN2;
    expect(inBits).toBeLessThan(closedForm + 4 * deviation);
    expect(inBits).toBeGreaterThan(0.98 * closedForm - 4 * deviation);
  });

  it("sees what is outside the grid: a bin more", async () => {
    const small = { bins: 12, from: -1, to: 1 };
    // Uniform within, as the pairs are: all of the difference is in the mass beyond the square.
    const uniform = (points: Float64Array) =>
      new Float64Array(points.length / 2).fill(Math.log(0.2));
    const density = await densityOnGrid(uniform, small);
    const random = createRandom(seed, "uniform");
    const pairs = new Float64Array(2 * 60_000);
    // Half of the pairs are within, where the density expects 0.8.
    for (let i = 0; i < pairs.length; i += 2) {
      pairs[i] = 2 * random.uniform() - 1 + (i % 4 === 0 ? 5 : 0);
      pairs[i + 1] = 2 * random.uniform() - 1;
    }
    const result = klDivergence2d(histogram2dOf(pairs, small), density);
    expect(result.outside.expected).toBeCloseTo(0.2, 12);
    expect(result.outside.observed).toBe(0.5);
    const exact = 0.5 * Math.log2(0.5 / 0.8) + 0.5 * Math.log2(0.5 / 0.2);
    // 144 bins: a deviation of √(144/2) / (60 000 ln 2) bits.
    expect(Math.abs(result.inBits - exact)).toBeLessThan(4 * 2.1e-4);
    expect(result.bins).toBe(145);
  });

  it("merges by what is expected, not by what was counted", async () => {
    const density = await densityOnGrid(normalAround(0, 0), square);
    const bins = ["a", "b"].map(
      (purpose) => klDivergence2d(histogram2dOf(normalPairs(2000, purpose), square), density).bins,
    );
    expect(bins[0]).toBe(bins[1]);
    // No more than 2000 / 5 rectangles can hold five each; most of those that fit are there.
    expect(bins[0]).toBeLessThanOrEqual(400);
    expect(bins[0]).toBeGreaterThan(200);
  });

  it("refuses what cannot be compared", async () => {
    const histogram = histogram2dOf([0, 0, 1, 1], square);
    const density = await densityOnGrid(normalAround(0, 0), square);
    const call =
      (given: typeof density, counted = histogram) =>
      () =>
        klDivergence2d(counted, given);
    expect(call(density, histogram2dOf([], square))).toThrow("the histogram to hold pairs");
    expect(call({ ...density, to: 5 })).toThrow("density to have the 48×48 bins from -4 to 4");
    expect(call({ ...density, values: density.values.map((v) => 2 * v) })).toThrow(
      "integrate to 1",
    );
    expect(call({ ...density, values: density.values.map(() => NaN) })).toThrow("values[0]");
    const far = await densityOnGrid(normalAround(99, 0), square);
    expect(call(far)).toThrow("density to have a mass of");
  });
});

describe("densityOnGrid", () => {
  it("has means over bins: those of a normal density are differences of its distribution function", async () => {
    const { values } = await densityOnGrid(normalAround(0.5, 0), { bins: 2, from: -1, to: 2 });
    // P(−1 < X < 0.5) P(0.5 < Y < 2) / 1.5²; three points a side in so wide a bin err by 1e-3 of it.
    const probability = 0.4331927987 * (0.9772498681 - 0.6914624613);
    expect(values[2] * 1.5 ** 2).toBeCloseTo(probability, 3);
    expect(values[2]).toBeCloseTo(values[3], 12);
    expect(values[0]).toBeGreaterThan(1.5 * values[2]);
  });

  it("integrates polynomials up to the fifth degree exactly, the first value along rows", async () => {
    const log = (points: Float64Array) =>
      Float64Array.from({ length: points.length / 2 }, (_, i) =>
        Math.log(points[2 * i] ** 5 * points[2 * i + 1] ** 2),
      );
    const { values } = await densityOnGrid(log, { bins: 3, from: 1, to: 4 });
    const exact = (column: number, row: number): number =>
      (((column + 2) ** 6 - (column + 1) ** 6) / 6) * (((row + 2) ** 3 - (row + 1) ** 3) / 3);
    for (let k = 0; k < 9; k++) {
      const truth = exact(k % 3, Math.floor(k / 3));
      expect(Math.abs(values[k] / truth - 1)).toBeLessThan(1e-13);
    }
  });

  it("asks in several batches, and takes a promise", async () => {
    const sizes: number[] = [];
    const density = await densityOnGrid(
      (points) => {
        sizes.push(points.length / 2);
        return Promise.resolve(normalAround(0, 0)(points));
      },
      { bins: 100, from: -5, to: 5 },
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((a, b) => a + b)).toBe(90_000);
    const mass = density.values.reduce((sum, value) => sum + value * 0.01, 0);
    // What is beyond five deviations: 1.1e-6.
    expect(mass).toBeCloseTo(1, 5);
  });

  it("refuses too few values and no numbers; what is impossible has no density", async () => {
    const small = { bins: 2, from: 0, to: 1 };
    await expect(densityOnGrid(() => [0], small)).rejects.toThrow(
      "log densities to hold 36 values",
    );
    const filled = (value: number) => () => new Float64Array(36).fill(value);
    await expect(densityOnGrid(filled(NaN), small)).rejects.toThrow("log densities[0]");
    expect([...(await densityOnGrid(filled(-Infinity), small)).values]).toEqual([0, 0, 0, 0]);
  });
});
