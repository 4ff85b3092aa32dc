import { describe, expect, test } from "vitest";
import { klDivergence2d } from "../../src/evaluation/histogram-2d-divergence.js";
import { densityOnGrid } from "../../src/evaluation/histogram-2d-model.js";
import { histogram2dOf } from "../../src/evaluation/histogram-2d.js";
import { createRandom } from "../../src/random/random-stream.js";
import { refusal } from "../support/expect-error.js";
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
  test("is 0 within its error for samples of the density itself", async () => {
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

  test("subtracts its bias", async () => {
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
    // Four standard errors of the mean; 0.5 % for what is of third order where a bin is expected to
    // hold five.
    expect(Math.abs(sum)).toBeLessThan((4 * deviation) / Math.sqrt(runs) + 0.005 * bias);
    // Without it the mean would be far from 0.
    expect(bias).toBeGreaterThan(20 * (deviation / Math.sqrt(runs)));
  });

  test("is half of the squared distance of two normal densities, in nats", async () => {
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

  test("counts pairs outside the grid as one more bin", async () => {
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

  test("merges bins by expected, not by observed counts", async () => {
    const density = await densityOnGrid(normalAround(0, 0), square);
    const bins = ["a", "b"].map(
      (purpose) => klDivergence2d(histogram2dOf(normalPairs(2000, purpose), square), density).bins,
    );
    expect(bins[0]).toBe(bins[1]);
    // No more than 2000 / 5 rectangles can hold five each; most of those that fit are there.
    expect(bins[0]).toBeLessThanOrEqual(400);
    expect(bins[0]).toBeGreaterThan(200);
  });

  test("with a common partition, differences are means of log ratios over all bins", async () => {
    const wide = { bins: 8, from: -2, to: 2 };
    const histogram = histogram2dOf(normalPairs(5000, "compared"), wide);
    const [a, b] = [
      await densityOnGrid(normalAround(0.4, -0.2), wide),
      await densityOnGrid(normalAround(-0.1, 0.6), wide),
    ];
    // So flat that no bin is merged: 5000 / 100 pairs are expected in each, 1800 outside.
    const partition = { ...a, values: a.values.map(() => 0.04) };
    const [ofA, ofB] = [a, b].map((density) => klDivergence2d(histogram, density, { partition }));
    expect([ofA.bins, ofB.bins]).toEqual([65, 65]);
    expect(ofA.biasInBits).toBe(ofB.biasInBits);
    const outside = [a, b].map(({ values }) => 1 - values.reduce((sum, v) => sum + v / 4, 0));
    let ratio = (histogram.outside / 5000) * Math.log2(outside[1] / outside[0]);
    histogram.counts.forEach((count, k) => {
      ratio += (count / 5000) * Math.log2(b.values[k] / a.values[k]);
    });
    // Some 65 additions of terms below 0.1.
    expect(Math.abs(ofA.inBits - ofB.inBits - ratio)).toBeLessThan(1e-13);
    expect(Math.abs(ratio)).toBeGreaterThan(0.05);
    // Each by its own bins is another matter.
    const [aAlone, bAlone] = [a, b].map((density) => klDivergence2d(histogram, density));
    expect(aAlone.inBits - bAlone.inBits).not.toBe(ofA.inBits - ofB.inBits);
  });

  test("with a common partition, merged rectangles have the probabilities of each density", async () => {
    const histogram = histogram2dOf(normalPairs(2000, "merged"), square);
    const partition = await densityOnGrid(normalAround(0, 0), square);
    const own = klDivergence2d(histogram, partition);
    expect(klDivergence2d(histogram, partition, { partition: { ...partition } })).toEqual(own);
    const moved = await densityOnGrid(normalAround(0.3, -0.5), square);
    const other = klDivergence2d(histogram, moved, { partition });
    expect([other.bins, other.biasInBits]).toEqual([own.bins, own.biasInBits]);
    // E log2 p/q = ‖shift‖²/2 in nats; the log ratio has the variance ‖shift‖², bins hide a few per
    // cent of it.
    const closedForm = 0.34 / 2 / Math.LN2;
    const deviation = Math.sqrt(0.34 / 2000) / Math.LN2;
    expect(Math.abs(other.inBits - own.inBits - closedForm)).toBeLessThan(
      4 * deviation + 0.05 * closedForm,
    );
  });

  test("is infinite only if pairs lie in bins of probability 0", () => {
    const small = { bins: 4, from: 0, to: 4 };
    const partition = { width: 4, height: 4, from: 0, to: 4, values: new Float64Array(16).fill(1 / 16) }; // prettier-ignore
    // Nothing in the upper right bin.
    const density = { ...partition, values: partition.values.map((_, k) => (k === 15 ? 0 : 1 / 15)) }; // prettier-ignore
    const random = createRandom(seed, "impossible");
    const pairs = Array.from({ length: 400 }, () => 4 * random.uniform());
    expect(klDivergence2d(histogram2dOf(pairs, small), density, { partition }).inBits).toBe(
      Infinity,
    );
    const possible = pairs.map((value) => Math.min(value, 2.5));
    const { inBits, bins } = klDivergence2d(histogram2dOf(possible, small), density, { partition });
    expect(Number.isFinite(inBits)).toBe(true);
    expect(bins).toBe(16);
    // By its own partition the bin is merged with a neighbour.
    const merged = klDivergence2d(histogram2dOf(pairs, small), density);
    expect([merged.bins, Number.isFinite(merged.inBits)]).toEqual([15, true]);
  });

  test("rejects densities that do not match the histogram", async () => {
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
    const by = (partition: typeof density) => () =>
      klDivergence2d(histogram, density, { partition });
    const misspelt = () => klDivergence2d(histogram, density, { minimum: 3 } as object);
    expect(misspelt).toThrow("the fields minimumExpected, partition but");
    expect(by(far)).toThrow("partition to have a mass of");
    expect(by({ ...density, from: -5 })).toThrow("partition to have the 48×48 bins");
  });
});

describe("densityOnGrid", () => {
  test("averages over bins: for a normal density, differences of its distribution function", async () => {
    const { values } = await densityOnGrid(normalAround(0.5, 0), { bins: 2, from: -1, to: 2 });
    // P(−1 < X < 0.5) P(0.5 < Y < 2) / 1.5²; three points a side in so wide a bin err by 1e-3 of
    // it.
    const probability = 0.4331927987 * (0.9772498681 - 0.6914624613);
    expect(values[2] * 1.5 ** 2).toBeCloseTo(probability, 3);
    expect(values[2]).toBeCloseTo(values[3], 12);
    expect(values[0]).toBeGreaterThan(1.5 * values[2]);
  });

  test("integrates polynomials up to the fifth degree exactly, the first value along rows", async () => {
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

  test("works in several batches, and accepts a promise", async () => {
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
    // The mass beyond five deviations is 1.1e-6.
    expect(mass).toBeCloseTo(1, 5);
  });

  test("accepts the bins of a histogram, and rejects unknown options", async () => {
    const small = { bins: 3, from: 0, to: 1 };
    const histogram = histogram2dOf([0.5, 0.1], small);
    const of = (options: typeof small) => densityOnGrid(normalAround(0, 0), options);
    expect(await of(histogram)).toEqual(await of(small));
    const misspelt = { ...small, points: 9 };
    await expect(of(misspelt)).rejects.toThrow(
      refusal("the options", "have only the fields bins, from, to", "points"),
    );
  });

  test("rejects missing values and NaN; returns 0 for a log density of −∞", async () => {
    const small = { bins: 2, from: 0, to: 1 };
    await expect(densityOnGrid(() => [0], small)).rejects.toThrow(
      "log densities to hold 36 values",
    );
    const filled = (value: number) => () => new Float64Array(36).fill(value);
    await expect(densityOnGrid(filled(NaN), small)).rejects.toThrow("log densities[0]");
    expect([...(await densityOnGrid(filled(-Infinity), small)).values]).toEqual([0, 0, 0, 0]);
  });
});
