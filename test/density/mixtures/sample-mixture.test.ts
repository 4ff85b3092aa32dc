import { describe, expect, test } from "vitest";
import { densityOf } from "../../../src/density/density-of.js";
import { mixture } from "../../../src/density/mixtures/mixture.js";
import { poseCount, poseOf, posed } from "../../../src/density/mixtures/poses.js";
import { sampleMixture } from "../../../src/density/mixtures/sample-mixture.js";
import { affine } from "../../../src/transforms/affine.js";
import { gdn } from "../../../src/transforms/gdn.js";
import { expectClose, expectSameBits } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { plainMixture, symmetric } from "../../support/mixtures.js";

const count = 20_000;

test("components are drawn by their weights, with their own moments", async () => {
  // Means 10, −20 and 0, far apart, with deviations 1, 2 and 0.5.
  const parts = [
    { mean: 10, deviation: 1, weight: 0.5 },
    { mean: -20, deviation: 2, weight: 0.2 },
    { mean: 0, deviation: 0.5, weight: 0.3 },
  ];
  const components = parts.map(({ mean, deviation }) =>
    affine({ dimension: 1, scale: [1 / deviation], shift: [-mean / deviation] }),
  );
  const weights = parts.map(({ weight }) => weight);
  const x = await sampleMixture(referenceRunner, mixture({ components, weights }), count, 7);
  for (const { mean, deviation, weight } of parts) {
    const own = Array.from(x).filter((value) => Math.abs(value - mean) < 5 * deviation);
    // Five standard errors of a share, of a mean and of a variance.
    const error = Math.sqrt((weight * (1 - weight)) / count);
    expectClose(own.length / count, weight, { absolute: 5 * error });
    const found = own.reduce((sum, value) => sum + value, 0) / own.length;
    expectClose(found, mean, { absolute: (5 * deviation) / Math.sqrt(own.length) });
    const square = own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / own.length;
    expectClose(square, deviation ** 2, {
      relative: 5 * Math.sqrt(2 / own.length),
    });
  }
});

test.each([true, false])(
  "all poses are equally frequent (mean removed: %s)",
  async (removeMean) => {
    // Every pose moves the peak elsewhere: of four pixels, pose 0 keeps 1, 2, 4 and 8 in order.
    const peak = [1, 2, 4, 8];
    const mean = removeMean ? 15 / 4 : 0;
    const full = peak.map((value) => value - mean);
    const n = removeMean ? 3 : 4;
    const density = affine({
      dimension: n,
      scale: new Float64Array(n).fill(100),
      shift: full.slice(0, n).map((value) => -100 * value),
    });
    const x = await sampleMixture(referenceRunner, symmetric(density, removeMean), count, 3);
    const centre = Float64Array.from(full.slice(0, n));
    const centres = Array.from({ length: poseCount }, (_, k) =>
      posed(centre, poseOf(2, removeMean, k)),
    );
    for (const wanted of centres) {
      let near = 0;
      for (let s = 0; s < count; s++) {
        if (wanted.every((value, k) => Math.abs(value - x[s * n + k]) < 0.1)) near++;
      }
      expectClose(near / count, 1 / 8, { absolute: 5 * Math.sqrt(7 / 64 / count) });
    }
  },
);

test("a symmetric mixture undoes the pose: log p of its samples is high", async () => {
  const density = densityOf(symmetric(plainMixture(4), false), referenceRunner);
  const x = await density.sample(4000, { seed: 2 });
  const own = await density.logProb(x);
  const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
  // E log p over samples of p is at least E log p over samples of q: here of one component.
  const [alone] = plainMixture(4).components;
  const other = await densityOf(alone, referenceRunner).logProb(x);
  expect(mean).toBeGreaterThan(other.reduce((sum, value) => sum + value, 0) / own.length);
});

describe("the same seed", () => {
  const density = densityOf(symmetric(plainMixture(4), false), simdRunner);

  test("gives the same bits; another seed gives others", async () => {
    const [a, b] = [await density.sample(50, { seed: 5 }), await density.sample(50, { seed: 5 })];
    expectSameBits(a, b);
    expect(await density.sample(50, { seed: 6 })).not.toEqual(a);
  });

  test("begins a longer list with the same samples", async () => {
    const [short, long] = [await density.sample(9), await density.sample(60)];
    expectSameBits(long.slice(0, short.length), short);
  });
});

test("the temperature scales the normal vectors of every component", async () => {
  const components = [affine({ dimension: 1, shift: [-50] }), affine({ dimension: 1 })];
  const x = await densityOf(mixture({ components }), referenceRunner).sample(count, {
    temperature: 0.5,
  });
  const own = Array.from(x).filter((value) => value < 25);
  const square = own.reduce((sum, value) => sum + value ** 2, 0) / own.length;
  expectClose(square, 0.25, { relative: 5 * Math.sqrt(2 / own.length) });
});

test("progress counts all samples, and no samples are no error", async () => {
  const density = densityOf(plainMixture(3), referenceRunner);
  const seen: number[] = [];
  await density.sample(30, { onProgress: (done, total) => seen.push(done, total) });
  expect(seen.slice(-2)).toEqual([30, 30]);
  expect((await density.sample(0)).length).toBe(0);
});

test("bad options and components that are not onto are errors", async () => {
  const density = densityOf(plainMixture(3), referenceRunner);
  await expectError(density.sample(2.5), { code: "invalid-argument", argument: "count" });
  await expectError(density.sample(2, { temperature: 0 }), { code: "invalid-argument" });
  await expectError(density.sample(2, { size: { width: 8, height: 8 } } as object), {
    code: "invalid-argument",
    phrase: "size",
  });
  const bounded = gdn({ structure: "classic", dimension: 3, beta: [0.6] });
  const mixed = mixture({ components: [bounded, affine({ dimension: 3 })] });
  await expectError(densityOf(mixed, referenceRunner).sample(200), { code: "not-invertible" });
});
