import { describe, expect, test } from "vitest";
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { normalQuantile } from "../../../src/numbers/normal-distribution.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError, refusal } from "../../support/expect-error.js";
import { gaussianInformation, scaledPairs } from "../../support/pair-samples.js";
import { seed } from "../../support/seed.js";

/** ψ(m) but for Euler's constant. */
const psi = (m: number): number =>
  Array.from({ length: m - 1 }, (_, k) => 1 / (k + 1)).reduce((a, b) => a + b, 0);

/** Kraskov's eq. (8) on normal scores, by comparing all with all. */
function compared(pairs: Float64Array, k: number): number {
  const n = pairs.length / 2;
  const scores = pairs.map((value, place) => {
    const rank = pairs.filter((other, q) => q % 2 === place % 2 && other < value).length;
    // Symmetric to the bit, or distances that are equal would not be.
    const upper = normalQuantile((Math.max(rank, n - 1 - rank) + 0.5) / n);
    return 2 * rank < n ? -upper : upper;
  });
  const apart = (i: number, j: number, c: number): number =>
    Math.abs(scores[2 * i + c] - scores[2 * j + c]);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const others = Array.from({ length: n }, (_, j) => j).filter((j) => j !== i);
    const distances = others.map((j) => Math.max(apart(i, j, 0), apart(i, j, 1)));
    const limit = distances.sort((a, b) => a - b)[k - 1];
    const near = (c: number): number => others.filter((j) => apart(i, j, c) < limit).length;
    sum += psi(near(0) + 1) + psi(near(1) + 1);
  }
  return (psi(k) + psi(n) - sum / n) / Math.LN2;
}

describe(`nearestNeighbourInformation, seed ${seed}`, () => {
  test.each([1, 4, 9])("equals its definition for k = %i", (neighbours) => {
    const pairs = scaledPairs("definition", 120, 0.7);
    const { inBits } = nearestNeighbourInformation(pairs, { neighbours });
    // A count that a rounding changes would be off by 1e-4; sums of 120 terms round to 1e-13.
    expectClose(inBits, compared(pairs, neighbours), { absolute: 1e-12 });
  });

  test("has little bias for few pairs, whatever the dependence", () => {
    for (const correlation of [0, 0.5, 0.9]) {
      const repeats = 30;
      const errors = Array.from({ length: repeats }, (_, k) => {
        const pairs = scaledPairs(`few ${k}`, 500, correlation);
        return nearestNeighbourInformation(pairs).inBits - gaussianInformation(correlation);
      });
      const mean = errors.reduce((a, b) => a + b) / repeats;
      // The mean of 30 draws is sure to 0.07/√30 = 0.013 bits: three of those, and a bias of 0.03.
      expect(Math.abs(mean)).toBeLessThan(0.03 + 0.04);
    }
  });

  test("has less variance with more neighbours", () => {
    const pairs = scaledPairs("variance", 5000, 0.5);
    const [one, many] = [1, 20].map((neighbours) =>
      nearestNeighbourInformation(pairs, { neighbours }),
    );
    expect(many.standardErrorInBits).toBeLessThan(one.standardErrorInBits);
  });

  test("accepts Float32", () => {
    const pairs = Float32Array.from(scaledPairs("Float32", 1000, 0.5));
    expect(nearestNeighbourInformation(pairs)).toEqual(
      nearestNeighbourInformation(Float64Array.from(pairs)),
    );
  });

  test.each([0, -1, 1.5, NaN])("rejects %d neighbours", (neighbours) => {
    expectError(() => nearestNeighbourInformation(scaledPairs("k", 20, 0), { neighbours }), {
      code: "invalid-argument",
      argument: "neighbours",
    });
  });

  test("rejects too few pairs, and unknown options", () => {
    const pairs = scaledPairs("few", 4, 0);
    expectError(() => nearestNeighbourInformation(pairs), {
      code: "invalid-argument",
      argument: "pairs",
    });
    expect(() => nearestNeighbourInformation(pairs, { k: 2 } as object)).toThrow(
      refusal(
        "the options of nearestNeighbourInformation",
        "have only the fields neighbours, groups",
        "k",
      ),
    );
  });
});
