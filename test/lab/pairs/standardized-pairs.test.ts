import { describe, expect, test } from "vitest";
import type { PairFit } from "../../../lab/panels/pairs/pair-fits.js";
import { type PairModelName, pairModels } from "../../../lab/panels/pairs/pair-models.js";
import { fitProblems } from "../../../lab/panels/pairs/results-table.js";
import { cautionOfTies, standardizedPairs } from "../../../lab/panels/pairs/standardized-pairs.js";
import { syntheticPairs } from "../../../lab/panels/pairs/synthetic-pairs.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectError } from "../../support/expect-error.js";

const names = ["day", "rain"] as const;
const count = 3000;

/** Pairs of independent normal numbers; each column is mapped. */
function normalPairs(first: (z: number) => number, second: (z: number) => number): Float64Array {
  const random = createRandom(5, "normal pairs");
  return Float64Array.from({ length: 2 * count }, (_, k) =>
    (k % 2 === 0 ? first : second)(random.normal()),
  );
}

const asIs = (z: number): number => z;
const roundedTo = (q: number) => (z: number) => q * Math.round(z / q);

describe("standardized pairs", () => {
  test("have mean 0 and variance 1, even from large means and tiny deviations", () => {
    const pairs = normalPairs(
      (z) => 1.7e9 + z,
      (z) => 1e-25 * z,
    );
    const { x, mean, deviation } = standardizedPairs(pairs, names, "1");
    for (const i of [0, 1]) {
      const column = Array.from(x.filter((_, k) => k % 2 === i));
      // Sums of 3,000 floats, each rounded to 6e-8.
      expect(column.reduce((sum, value) => sum + value, 0) / count).toBeCloseTo(0, 5);
      expect(column.reduce((sum, value) => sum + value * value, 0) / count).toBeCloseTo(1, 5);
    }
    expect(mean[0]).toBeCloseTo(1.7e9, -1);
    expect(deviation[1] / 1e-25).toBeCloseTo(1, 1);
  });

  test.each([
    ["equal values", () => 0.1 + 0.2, asIs, /^day .* 0\.3\.$/],
    [
      "values that vary too little for model files",
      (z: number) => 1e-300 * (z + 30),
      asIs,
      /^day .* 3\.0e−299 ± 9\.\de−301, .* 1e−30 /,
    ],
    [
      "values that vary too little for double precision",
      asIs,
      (z: number) => 1e9 + 1e-6 * z,
      /^rain .* 1\.0e9 ± 1\.0e−6, .* 1e−12 /,
    ],
  ])("rejects %s, with few digits", (_, first, second, phrase) => {
    const pairs = normalPairs(first, second);
    expectError(() => standardizedPairs(pairs, names, "1"), { code: "degenerate-data", phrase });
  });

  test.each([
    [3, "1"],
    [-1e-3, "−1"],
  ])("rejects pairs on a line of slope %d before any fit", (slope, correlation) => {
    const pairs = normalPairs(asIs, asIs);
    for (let k = 0; k < pairs.length; k += 2) pairs[k + 1] = slope * pairs[k] + 2;
    const phrase = `on a line: the correlation of day and rain is ${correlation}.`;
    expectError(() => standardizedPairs(pairs, names, "1"), { code: "degenerate-data", phrase });
  });

  test("accepts pairs near a line", () => {
    const pairs = normalPairs(asIs, asIs);
    for (let k = 0; k < pairs.length; k += 2) pairs[k + 1] = pairs[k] + 1e-5 * pairs[k + 1];
    expect(() => standardizedPairs(pairs, names, "1")).not.toThrow();
  });
});

describe("the warning about equal values", () => {
  const cautionOf = (first: (z: number) => number, second: (z: number) => number) =>
    cautionOfTies(Float32Array.from(normalPairs(first, second)), names);

  test("does not appear for samples of a density, nor for usual rounding", () => {
    expect(cautionOf(asIs, asIs)).toBeNull();
    expect(cautionOf(roundedTo(0.03), roundedTo(0.03))).toBeNull();
    const synthetic = Float32Array.from(syntheticPairs("curved", count, "1"));
    expect(cautionOfTies(synthetic, names)).toBeNull();
  });

  test("appears for values on a grid, or in one column", () => {
    expect(cautionOf(roundedTo(1), roundedTo(1.5))).toMatch(/^Many of the pairs are equal/);
    expect(cautionOf(asIs, roundedTo(0.3))).toMatch(/^Many values of rain are equal/);
  });
});

test("shows a problem of several models once", () => {
  const failed = (problem: string | null): PairFit => ({
    steps: 20,
    frames: [],
    state: problem === null ? { status: "cancelled" } : { status: "failed", problem },
  });
  const fits = new Map<PairModelName, PairFit>([
    ["gdn", failed("No.")],
    ["rg", failed(null)],
    ["lp", failed("Never.")],
    ["ica-mg", failed("No.")],
  ]);
  expect(fitProblems(pairModels, fits)).toEqual([
    { titles: ["ICA-MG", "GDN"], problem: "No." },
    { titles: ["Lₚ"], problem: "Never." },
  ]);
});
