import { describe, expect, test } from "vitest";
import { HistogramAccumulator, binEdge, histogramOf } from "../../src/evaluation/histogram.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

describe("histogramOf", () => {
  test("counts each value once: an edge in the bin above it, the last edge in the last bin", () => {
    const values = [-1, 0, 0.5, 1, 1.5, 2, 2.5, Infinity, -Infinity];
    const { counts, below, above, total } = histogramOf(values, { bins: 2, from: 0, to: 2 });
    expect([...counts]).toEqual([2, 3]);
    expect([below, above, total]).toEqual([2, 2, 9]);
  });

  test("has a density that integrates to the share of values inside", () => {
    const { density } = histogramOf([0.1, 0.2, 0.3, 5], { bins: 4, from: 0, to: 0.5 });
    expect(density.reduce((sum, value) => sum + value * 0.125, 0)).toBeCloseTo(0.75, 14);
  });

  test.each([7, 10, 49, 300])(
    "puts every one of %i edges into the bin that begins there",
    (bins) => {
      const options = { bins, from: -0.7, to: 4.1 };
      for (let k = 0; k < bins; k++) {
        expect(histogramOf([binEdge(options, k)], options).counts[k]).toBe(1);
      }
    },
  );

  test("is empty, not NaN, without values", () => {
    expect([...histogramOf([], { bins: 2, from: 0, to: 1 }).density]).toEqual([0, 0]);
  });

  test.each([
    [[NaN], { bins: 2, from: 0, to: 1 }, "values[0] to be a number but received NaN"],
    [[0], { bins: 0, from: 0, to: 1 }, "bins to be a positive integer but received 0"],
    [[0], { bins: 2, from: -Infinity, to: 1 }, "from to be a finite number"],
    [[0], { bins: 2, from: 1, to: 1 }, "to to be larger than 1 but received 1"],
  ])("%j with %j is refused", (values, options, what) => {
    expect(() => histogramOf(values, options)).toThrow(what);
  });
});

describe("HistogramAccumulator", () => {
  test(`gives for batches what it gives for all values at once (seed ${seed})`, () => {
    const options = { bins: 31, from: -3, to: 3 };
    const values = createRandom(seed, "histogram").normalFill(new Float64Array(10_000));
    const accumulator = new HistogramAccumulator(options);
    const early = accumulator.add(values.subarray(0, 10)).histogram();
    accumulator.add(values.subarray(10, 7777)).add([]).add(values.subarray(7777));
    expect(accumulator.histogram()).toEqual(histogramOf(values, options));
    expect(early).toEqual(histogramOf(values.subarray(0, 10), options));
  });
});
