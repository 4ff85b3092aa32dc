import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import {
  bytesOfSums,
  bytesSent,
  constantsTable,
  predictedStep,
  scalingTable,
} from "../../bench/cost-model.js";
import { measuredCosts } from "../../bench/measured-costs.js";
import { batchFor, layerFor } from "../../bench/problem.js";
import { samplesOf, sharesOf } from "../../src/density/ranked-passes.js";
import type { Ranks } from "../../src/parallel/ranks.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { simdRunner } from "../support/inline-runners.js";
import { localRanks } from "../support/local-workers.js";

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
  test("adds the times of computing, sending and serial work", () => {
    const network = { bytesPerSecond: 1e6, latencyInSeconds: 1e-3 };
    const step = predictedStep(unit, { ...work, ...network });
    expect(step.computeSeconds).toBeCloseTo(32 * (1e-6 * 100 + 1e-7 * 1000), 12);
    const bytes = 4 * (2 * 100 + 3 * 10);
    expect(bytesOfSums(work)).toBe(bytes);
    // Half of the sums there, half of them back, half of the samples; three messages and three
    // barriers.
    expect(step.sumSeconds).toBeCloseTo((bytes + 20 * 64) / 1e6 + 6e-3, 12);
    expect(step.serialSeconds).toBeCloseTo(2e-5, 12);
    expect(step.seconds).toBeCloseTo(step.computeSeconds + step.sumSeconds + 2e-5, 12);
  });

  test("has no network in one process, and cannot use threads without a leaf", () => {
    const free = { bytesPerSecond: 1, latencyInSeconds: 1 };
    const one = predictedStep(unit, { ...work, ...free, ranks: 1 });
    expect(one.sumSeconds).toBe(0);
    // 64 samples are 8 leaves.
    const threads = predictedStep(unit, { ...work, ...free, ranks: 1, threads: 16 });
    expect(threads.computeSeconds).toBeCloseTo(one.computeSeconds / 8, 12);
  });

  test("includes γ = diag(g) + U Vᵀ", () => {
    expect(bytesOfSums({ dimension: 1024, batch: 0, rank: 16 })).toBe(
      4 * (1024 ** 2 + 1024 * 33 + 3 * 1024),
    );
    const network = { bytesPerSecond: 1e6, latencyInSeconds: 0 };
    const low = predictedStep(unit, { ...work, ...network, rank: 2 });
    expect(low.computeSeconds).toBeCloseTo(32 * (1e-7 * 100 + 1e-8 * 10 * 4), 12);
  });
});

/** Adds up what a rank sends to others, and how often it meets them. */
function counted(ranks: Ranks, counts: { bytes: number; meetings: number }): Ranks {
  const { rank, size } = ranks;
  return {
    rank,
    size,
    exchange: (send, receive) => {
      counts.meetings++;
      counts.bytes += send.bytes.length - send.lengths[rank];
      return ranks.exchange(send, receive);
    },
    gather: (own, all) => {
      counts.meetings++;
      // By a ring or a tree, everybody passes on what it got: on average (P − 1)/P of all.
      counts.bytes += (all.bytes.length * (size - 1)) / size;
      return ranks.gather(own, all);
    },
  };
}

test("a step of a fit sends as many bytes and messages as predicted", async () => {
  // With these numbers, every rank has a slice of the same size.
  const [dimension, batch, size, steps] = [64, 64, 4, 60];
  const x = batchFor({ dimension, batch });
  const counts = { bytes: 0, meetings: 0 };
  const perStep: (typeof counts)[] = [];
  const fits = localRanks(size).map((ranks) => {
    const { first, end } = samplesOf(sharesOf(batch, size), ranks.rank);
    return fitTransform(simdRunner, layerFor({ structure: "column", dimension }), {
      steps,
      batchAt: () => x.subarray(first * dimension, end * dimension),
      ranked: { ranks: ranks.rank === 0 ? counted(ranks, counts) : ranks, batch },
      onStep: () => {
        if (ranks.rank > 0) return;
        perStep.push({ ...counts });
        Object.assign(counts, { bytes: 0, meetings: 0 });
      },
    });
  });
  await Promise.all(fits);
  // Now and then ranks also compare what they have come to.
  const usual = perStep.filter(({ meetings }) => meetings === 3);
  expect(usual.length).toBeGreaterThan(steps / 2);
  const wordThatAllIsWell = 4 * (size - 1);
  const wanted = bytesSent({ dimension, batch }, size) + wordThatAllIsWell;
  for (const { bytes } of usual) expect(bytes).toBe(wanted);
});

test("docs/scaling.md has the tables of the measured constants", async () => {
  const text = await readFile("docs/scaling.md", "utf8");
  const plain = (table: string): string => table.replace(/ +/g, " ").replace(/-+/g, "-");
  expect(plain(text)).toContain(plain(scalingTable(measuredCosts)));
  expect(plain(text)).toContain(plain(constantsTable(measuredCosts)));
});
