import { describe, expect, test } from "vitest";
import { createRandom } from "../../../src/random/random-stream.js";
import { frequenciesOf, halfGrid } from "../../../src/transforms/convolutions/frequencies.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { seed } from "../../support/seed.js";

const grid = { width: 10, height: 7 };

describe(`a sample of the frequencies (seed ${seed})`, () => {
  test("has the total weight of all on average, whichever are always included", () => {
    const random = createRandom(seed, "frequencies");
    for (const lowest of [0, 1, 5]) {
      const total = frequenciesOf(grid, { count: 8, lowest, random }).map(({ weight }) => weight);
      expect(total).toHaveLength(8);
    }
    const draws = 4000;
    let sum = 0;
    for (let k = 0; k < draws; k++) {
      for (const { weight } of frequenciesOf(grid, { count: 8, lowest: 3, random })) sum += weight;
    }
    // Weights are 1 or 2, mostly 2: the mean of 4,000 draws is accurate to 0.001.
    expectClose(sum / draws, 70, { relative: 2e-3 });
  });

  test("always includes the lowest on request, with their own weights", () => {
    const random = createRandom(seed, "lowest");
    const found = frequenciesOf(grid, { count: 6, lowest: 4, random });
    expect(found.slice(0, 4)).toEqual([
      { u: 0, v: 0, weight: 1 },
      { u: 1, v: 0, weight: 2 },
      { u: 0, v: 1, weight: 2 },
      expect.objectContaining({ u: 1, weight: 2 }),
    ]);
    const keys = found.map(({ u, v }) => `${u},${v}`);
    expect(new Set(keys).size).toBe(6);
    expect(frequenciesOf(grid, { count: 100, lowest: 4, random })).toEqual(halfGrid(grid));
  });

  test("rejects more lowest frequencies than frequencies", () => {
    const random = createRandom(seed, "refused");
    expectError(() => frequenciesOf(grid, { count: 4, lowest: 4, random }), {
      code: "invalid-argument",
      argument: "the lowest of the frequencies",
    });
  });
});
