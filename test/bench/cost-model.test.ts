import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { bytesOfSums, predictedStep, scalingTable } from "../../bench/cost-model.js";
import { measuredCosts } from "../../bench/measured-costs.js";

const unit = {
  secondsPerSampleAndSquare: 1e-6,
  secondsPerSampleAndCube: 1e-7,
  lowRankSecondsPerSampleAndSquare: 1e-7,
  lowRankSecondsPerSampleAndRank: 1e-8,
  serialSecondsPerSquare: 1e-7,
  serialSecondsPerCube: 1e-8,
  latencyHere: 0,
  bandwidthHere: 1,
};
const work = { dimension: 10, batch: 64, ranks: 2, threads: 1 };

describe("predictedStep", () => {
  it("adds what a thread computes, what a rank sends and what it does for itself", () => {
    const network = { bytesPerSecond: 1e6, latencyInSeconds: 1e-3 };
    const step = predictedStep(unit, { ...work, ...network });
    expect(step.computeSeconds).toBeCloseTo(32 * (1e-6 * 100 + 1e-7 * 1000), 12);
    const bytes = 4 * (2 * 100 + 3 * 10) + 24 * 64;
    expect(bytesOfSums(work)).toBe(bytes);
    expect(step.sumSeconds).toBeCloseTo(bytes / 1e6 + 2e-3, 12);
    expect(step.serialSeconds).toBeCloseTo(2e-5, 12);
    expect(step.seconds).toBeCloseTo(step.computeSeconds + step.sumSeconds + 2e-5, 12);
  });

  it("has no network in one process, and waits for threads without a leaf", () => {
    const free = { bytesPerSecond: 1, latencyInSeconds: 1 };
    const one = predictedStep(unit, { ...work, ...free, ranks: 1 });
    expect(one.sumSeconds).toBe(0);
    // 64 samples are 8 leaves.
    const threads = predictedStep(unit, { ...work, ...free, ranks: 1, threads: 16 });
    expect(threads.computeSeconds).toBeCloseTo(one.computeSeconds / 8, 12);
  });

  it("knows γ = diag(g) + U Vᵀ", () => {
    expect(bytesOfSums({ dimension: 1024, batch: 0, rank: 16 })).toBe(
      4 * (1024 ** 2 + 1024 * 33 + 3 * 1024),
    );
    const network = { bytesPerSecond: 1e6, latencyInSeconds: 0 };
    const low = predictedStep(unit, { ...work, ...network, rank: 2 });
    expect(low.computeSeconds).toBeCloseTo(32 * (1e-7 * 100 + 1e-8 * 10 * 4), 12);
  });
});

it("docs/scaling.md has the table of the measured constants", async () => {
  const text = await readFile("docs/scaling.md", "utf8");
  const plain = (table: string): string => table.replace(/ +/g, " ").replace(/-+/g, "-");
  expect(plain(text)).toContain(plain(scalingTable(measuredCosts)));
  for (const value of Object.values<number>({ ...measuredCosts })) {
    expect(text).toContain(value.toExponential(2));
  }
});
