import { expect, test } from "vitest";
import { measurePairs } from "../../bench/pairs.js";

test("the benchmark of pairs measures seconds of each function", async () => {
  const rounds = { round: 1, total: 5 };
  const size = { pairs: 500, width: 32, height: 20, steps: 5 };
  const figures = await measurePairs({ kernels: "simd", ...size, turns: 2, rounds });
  expect(figures).toMatchObject({ pairs: 500, width: 32, height: 20 });
  expect(Object.keys(figures.seconds)).toEqual([
    "fit",
    "nearestNeighbourInformation",
    "histogramInformation",
    "steerableBands",
  ]);
  for (const seconds of Object.values(figures.seconds)) {
    expect(seconds).toBeGreaterThan(0);
    // Nothing here takes seconds, let alone those of the full size.
    expect(seconds).toBeLessThan(10);
  }
  expect(figures.gradientSamplesPerSecond).toBeGreaterThan(0);
});
