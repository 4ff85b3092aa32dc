import { describe, expect, test } from "vitest";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import {
  type FitPoint,
  compare,
  measureTimeTo,
  reach,
  timeRatioOf,
  timeToTable,
} from "../../bench/time-to-fit.js";

const fit = (steps: number, cpuSeconds: number, negentropyDifference: number): FitPoint => ({
  steps,
  seconds: cpuSeconds / 2,
  cpuSeconds,
  negentropyDifference,
});

describe("reach", () => {
  const fits = [fit(250, 60, -2.3), fit(1000, 210, -2.4), fit(2000, 410, -2.45)];

  test("interpolates between the lengths on both sides of the target", () => {
    // Halfway in the logarithm of the steps; a second per five steps.
    expect(reach(fits, -2.35)).toEqual({
      steps: 500,
      seconds: expect.closeTo(55, 6) as number,
      cpuSeconds: expect.closeTo(110, 6) as number,
    });
    expect(reach(fits, -2.4)).toMatchObject({ steps: 1000, cpuSeconds: 210 });
  });

  test("takes the shortest fit as it is", () => {
    expect(reach(fits, -2.2)).toEqual(fits[0]);
  });

  test("takes the first of the fits that reach the target, even if a longer one is worse", () => {
    const uneven = [fit(500, 10, -2.3), fit(1000, 20, -2.4), fit(2000, 40, -2.39)];
    expect(reach(uneven, -2.4)).toMatchObject({ steps: 1000, cpuSeconds: 20 });
  });

  test("is null if no fit reaches the target", () => {
    expect(reach(fits, -2.5)).toBeNull();
    expect(reach([], -2.5)).toBeNull();
  });
});

describe("the comparison at one ΔJ", () => {
  const fits = {
    exact: [fit(500, 120, -2.45)],
    probes: [fit(1000, 30, -2.45)],
    lowRank: [fit(1000, 10, -2.4)],
  };

  test("divides CPU times, and gives PyTorch as many samples as exact steps need", () => {
    expect(compare(-2.45, fits, 256)).toMatchObject({
      exactToProbes: 4,
      pyTorchCpuSeconds: 500,
      pyTorchToProbes: 500 / 30,
      lowRank: null,
      pyTorchToLowRank: null,
    });
    expect(compare(-2.4, fits, 256).pyTorchToLowRank).toBe(50);
  });

  test("is unknown without PyTorch, or if one of the two does not reach it", () => {
    expect(compare(-2.45, fits, null)).toMatchObject({
      exactToProbes: 4,
      pyTorchCpuSeconds: null,
      pyTorchToProbes: null,
    });
    const unknown = { exactToProbes: null, pyTorchToProbes: null };
    expect(compare(-2.45, { ...fits, probes: [] }, 256)).toMatchObject(unknown);
    expect(compare(-2.45, { ...fits, exact: [] }, 256)).toMatchObject(unknown);
  });

  test("gives the ratio of the report only for Kodak", () => {
    const targets = [compare(-2.4, fits, null), compare(-2.45, fits, null)];
    const figures = { batch: 256, fits, pyTorchSamplesPerCpuSecond: null, targets };
    expect(timeRatioOf({ ...figures, data: "Kodak" })).toBe(4);
    expect(timeRatioOf({ ...figures, data: "photographs of the package" })).toBeNull();
    expect(timeRatioOf({ ...figures, data: "Kodak", targets: [] })).toBeNull();
  });
});

test("fits of all kinds run until they reach the last target", async () => {
  const said: string[] = [];
  const figures = await measureTimeTo(
    {
      name: "a photograph",
      paths: [embeddedPhotographs()[0].path],
      // Any fit reaches them.
      targets: [10, 0],
      lengths: [1, 2],
      patches: 64,
    },
    // Sources have no module for other threads.
    { workers: 1, withPyTorch: false },
    (text) => void said.push(text),
  );
  for (const points of Object.values(figures.fits)) {
    expect(points.map(({ steps }) => steps)).toEqual([1]);
    expect(points[0].cpuSeconds).toBeGreaterThan(0);
  }
  for (const { exact, exactToProbes } of figures.targets) {
    expect(exact?.steps).toBe(1);
    expect(exactToProbes).toBeGreaterThan(0);
  }
  // Results are reported as they come.
  expect(said).toHaveLength(3);
  expect(said[0]).toMatch(/^a photograph, full γ, exact, 1 steps: ΔJ -\d/);
  expect(timeToTable(figures)).toContain("| full γ, default | 1 |");
}, 120_000);
