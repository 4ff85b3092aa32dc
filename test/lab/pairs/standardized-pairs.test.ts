import { describe, expect, test } from "vitest";
import type { PairFit } from "../../../lab/panels/pairs/pair-fits.js";
import { type PairModelName, pairModels } from "../../../lab/panels/pairs/pair-models.js";
import { pairParameters, parameterCounts } from "../../../lab/panels/pairs/pair-parameters.js";
import { fitProblems } from "../../../lab/panels/pairs/results-table.js";
import { cautionOfTies, standardizedPairs } from "../../../lab/panels/pairs/standardized-pairs.js";
import { syntheticPairs } from "../../../lab/panels/pairs/synthetic-pairs.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { fitSamples } from "../../../src/training/fit-samples.js";
import { openRunner } from "./node-parts.js";

const names = ["day", "rain"] as const;
const count = 3000;

/** Pairs of independent normal numbers, each column mapped. */
function normalPairs(first: (z: number) => number, second: (z: number) => number): Float64Array {
  const random = createRandom(5, "normal pairs");
  return Float64Array.from({ length: 2 * count }, (_, k) =>
    (k % 2 === 0 ? first : second)(random.normal()),
  );
}

const asIs = (z: number): number => z;
const roundedTo = (q: number) => (z: number) => q * Math.round(z / q);

describe("standardized pairs", () => {
  test("have mean 0 and variance 1, however far from 0 and however small they were", () => {
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
    ["equal values", () => 0.1 + 0.2, asIs, "day to vary but all of its values are 0.3."],
    [
      "values that vary too little for model files",
      (z: number) => 1e-300 * (z + 30),
      asIs,
      /day to vary by 1e−30 or more but its values are 3\.0e−299 ± 9\.\de−301; in larger units/,
    ],
    [
      "values that vary too little for double precision",
      asIs,
      (z: number) => 1e9 + 1e-6 * z,
      /rain to vary by more than 1e−12 of its mean but its values are 1\.0e9 ± 1\.0e−6\.$/,
    ],
  ])("%s are refused, in few digits", (_, first, second, sentence) => {
    expect(() => standardizedPairs(normalPairs(first, second), names, "1")).toThrow(sentence);
  });

  test.each([
    [3, 1],
    [-1e-3, -1],
  ])("pairs on a line of slope %d are refused before any fit", (slope, correlation) => {
    const pairs = normalPairs(asIs, asIs);
    for (let k = 0; k < pairs.length; k += 2) pairs[k + 1] = slope * pairs[k] + 2;
    const sign = correlation < 0 ? "−1" : "1";
    expect(() => standardizedPairs(pairs, names, "1")).toThrow(
      `rain to vary where day does not but all pairs lie on a line: their correlation is ${sign}.`,
    );
  });

  test("pairs near a line are not", () => {
    const pairs = normalPairs(asIs, asIs);
    for (let k = 0; k < pairs.length; k += 2) pairs[k + 1] = pairs[k] + 1e-5 * pairs[k + 1];
    expect(() => standardizedPairs(pairs, names, "1")).not.toThrow();
  });
});

describe("equal values", () => {
  const cautionOf = (first: (z: number) => number, second: (z: number) => number) =>
    cautionOfTies(Float32Array.from(normalPairs(first, second)), names);

  test("of samples of a density are not worth a word, nor is usual rounding", () => {
    expect(cautionOf(asIs, asIs)).toBeNull();
    expect(cautionOf(roundedTo(0.03), roundedTo(0.03))).toBeNull();
    const synthetic = Float32Array.from(syntheticPairs("curved", count, "1"));
    expect(cautionOfTies(synthetic, names)).toBeNull();
  });

  test("on a grid, or in one column, are", () => {
    expect(cautionOf(roundedTo(1), roundedTo(1.5))).toMatch(
      /^Many of the pairs are equal: these are not samples of a density, .* mean little\.$/,
    );
    expect(cautionOf(asIs, roundedTo(0.3))).toMatch(/^Many values of rain are equal: /);
  });
});

test.each(pairModels)("there is room for the parameters that $title has", async (model) => {
  const runner = await openRunner({ workers: 0 });
  const x = Float32Array.from(normalPairs(asIs, asIs));
  const fitted = await fitSamples(runner, x, { dimension: 2, model: model.model, steps: 2 });
  const lengths = Object.entries(pairParameters(fitted)).map(([name, values]) => [
    name,
    values.length,
  ]);
  expect(Object.entries(parameterCounts(model))).toEqual(lengths);
});

test("a problem of several models is said once", () => {
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
