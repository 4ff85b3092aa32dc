import { describe, expect, test } from "vitest";
import { type FitPoint, compare } from "../../bench/time-to-fit.js";

const fit = (steps: number, seconds: number, negentropyDifference: number): FitPoint => ({
  steps,
  samples: 256 * steps,
  seconds,
  negentropyDifference,
});

describe("time to a given ΔJ", () => {
  const full = fit(500, 90, -2.3);

  test("is that of the fastest fit of low rank with the same ΔJ", () => {
    const fits = [fit(250, 5, -2.25), fit(1000, 20, -2.33), fit(500, 10, -2.31)];
    const { lowRank, pyTorchSeconds, ratio } = compare(full, fits, 512);
    expect(lowRank?.steps).toBe(500);
    expect(pyTorchSeconds).toBe(250);
    expect(ratio).toBe(25);
  });

  test("is unknown if no fit reaches the ΔJ, or without PyTorch", () => {
    expect(compare(full, [fit(250, 5, -2.25)], 512)).toMatchObject({ lowRank: null, ratio: null });
    const fits = [fit(500, 10, -2.3)];
    expect(compare(full, fits, null)).toMatchObject({ lowRank: fits[0], ratio: null });
  });
});
