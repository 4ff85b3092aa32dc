import { describe, expect, test } from "vitest";
import { sampleImage } from "../../../src/density/images/image-synthesis.js";
import { verifyImageCascade } from "../../../src/density/verification/verify-image-cascade.js";
import { expectClose } from "../../support/expect-close.js";
import { noiseImage, smallCascade, imageModels } from "../../support/image-models.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";

describe("a cascade of whole images is verified", () => {
  test("decides on every normalization by its parameters alone", async () => {
    const found = await verifyImageCascade(referenceRunner, smallCascade, null);
    expect(found.invertible && found.passed).toBe(true);
    expect(found.stages.map(({ kind }) => kind)).toEqual([
      "convolution",
      "gdn",
      "convolution",
      "gdn",
    ]);
    expect(found.proven.map((text) => text.slice(0, 31))).toEqual([
      "Proven: stage 1 (gdn, column) i",
      "Proven: stage 3 (gdn, column) i",
    ]);
    expect([found.smallestSingularValue, found.roundTrip, found.determinant]).toEqual([
      null,
      null,
      null,
    ]);
    expect(found.observed).toEqual([]);
  });

  test("on an image: round trip, log-determinant by differences, singular values, pivots", async () => {
    const image = noiseImage(12, 8);
    for (const [runner, most] of [
      [referenceRunner, 1e-9],
      [simdRunner, 1e-4],
    ] as const) {
      const found = await verifyImageCascade(runner, smallCascade, image);
      expect(found.passed).toBe(true);
      expect(found.roundTrip?.unconverged).toBe(0);
      expect(found.roundTrip?.largestError).toBeLessThan(most);
      expect([found.determinant?.width, found.determinant?.height]).toEqual([6, 6]);
      // Differences have eight digits or so, and there are 36 pixels.
      expectClose(
        found.determinant?.logDeterminant ?? NaN,
        found.determinant?.byDifferences ?? NaN,
        {
          absolute: 1e-6,
        },
      );
      expect(found.smallestSingularValue).toBeGreaterThan(0);
      expect(found.observed[0]).toMatch(
        /^Computed: stage 0 \(convolution\) is invertible on 6×4 locations: its smallest/,
      );
      expect(found.observed.join("\n")).toMatch(/^Observed over 24 locations: every pivot/m);
    }
  });

  test("checks no more locations than requested", async () => {
    const image = await sampleImage(simdRunner, smallCascade, { width: 32, height: 32, seed: 1 });
    const found = await verifyImageCascade(simdRunner, smallCascade, image, { locations: 10 });
    expect(found.observed.join("\n")).toMatch(/^Observed over 10 locations/m);
  });

  test("fails exactly on grids where a convolution is singular", async () => {
    const { transform } = imageModels.singular;
    const even = await verifyImageCascade(simdRunner, transform, null, {
      grid: { width: 4, height: 3 },
    });
    expect([even.invertible, even.passed, even.smallestSingularValue]).toEqual([false, false, 0]);
    expect(even.observed).toEqual([
      expect.stringMatching(/^Computed: stage 1 \(convolution\) is singular on 4×3 locations/),
    ]);
    const odd = await verifyImageCascade(simdRunner, transform, null, {
      grid: { width: 5, height: 3 },
    });
    // |1 + e^iω| is smallest next to ω = π: 2 cos(2π/5).
    expectClose(odd.smallestSingularValue ?? NaN, 2 * Math.cos((2 * Math.PI) / 5), {
      relative: 1e-3,
    });
    expect(odd.passed).toBe(true);
  });

  test("fails for a normalization that is not onto", async () => {
    const found = await verifyImageCascade(simdRunner, imageModels.bounded.transform, null);
    expect([found.invertible, found.passed]).toEqual([false, false]);
    expect(found.proven).toHaveLength(1);
    expect(found.proven[0]).toMatch(/^Proven: stage 1 \(gdn, classic\) is one-to-one but not onto/);
  });
});
