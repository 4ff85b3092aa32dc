import { describe, expect, test } from "vitest";
import { histogramInformation } from "../../../src/evaluation/mutual-information/histogram-information.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError, refusal } from "../../support/expect-error.js";
import { independentPairs, scaledPairs } from "../../support/pair-samples.js";
import { seed } from "../../support/seed.js";

/** The estimate from a table of counts, by its definition. */
function informationOf(counts: readonly (readonly number[])[]): number {
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const rows = counts.map(sum);
  const columns = counts[0].map((_, b) => sum(counts.map((row) => row[b])));
  const n = sum(rows);
  const occupied = (values: readonly number[]): number => values.filter((c) => c > 0).length;
  let plain = 0;
  counts.forEach((row, a) => {
    row.forEach((c, b) => {
      if (c > 0) plain += (c / n) * Math.log((n * c) / (rows[a] * columns[b]));
    });
  });
  const excess = occupied(rows) + occupied(columns) - occupied(counts.flat()) - 1;
  return (plain + excess / (2 * n)) / Math.LN2;
}

describe(`histogramInformation, seed ${seed}`, () => {
  const pairs = scaledPairs("table", 60, 0.8);
  const rankOf = (i: number, coordinate: number): number =>
    pairs.filter((value, k) => k % 2 === coordinate && value < pairs[2 * i + coordinate]).length;
  /** 3×3 bins of 20 values each, without the pairs that are left out. */
  function tableWithout(isLeftOut: (i: number) => boolean): number[][] {
    const counts = [0, 1, 2].map(() => [0, 0, 0]);
    for (let i = 0; i < 60; i++) {
      if (isLeftOut(i)) continue;
      counts[Math.floor(rankOf(i, 0) / 20)][Math.floor(rankOf(i, 1) / 20)]++;
    }
    return counts;
  }

  test("equals the value from the table of counts, less its bias", () => {
    const { inBits, bins } = histogramInformation(pairs, { bins: 3 });
    expect(bins).toBe(3);
    // Some 30 additions of numbers below 300.
    expectClose(inBits, informationOf(tableWithout(() => false)), { absolute: 1e-13 });
  });

  test("has the standard error of tables without each group", () => {
    const groups = [5, 25, 20, 10];
    const ends = [5, 30, 50, 60];
    const without = groups.map((size, g) =>
      informationOf(tableWithout((i) => i >= ends[g] - size && i < ends[g])),
    );
    const mean = without.reduce((a, b) => a + b) / 4;
    const squares = without.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const { standardErrorInBits } = histogramInformation(pairs, { bins: 3, groups });
    expectClose(standardErrorInBits, Math.sqrt((squares * 3) / 4), { absolute: 1e-12 });
  });

  test("subtracts (K − 1)²/2n nats if no bin is empty", () => {
    const { biasInBits, bins } = histogramInformation(independentPairs("bias", 20_000), {
      bins: 12,
    });
    expect(bins).toBe(12);
    expectClose(biasInBits, 11 ** 2 / (2 * 20_000) / Math.LN2, { relative: 1e-12 });
  });

  test("loses less of a strong dependence with more bins, and little of a weak one", () => {
    const strong = scaledPairs("strong", 50_000, 0.9);
    const [few, some, many] = [5, 15, 45].map((bins) => histogramInformation(strong, { bins }));
    expect(few.inBits).toBeLessThan(some.inBits);
    expect(some.inBits).toBeLessThan(many.inBits);
  });

  test("chooses √(n/10) bins, from 2 to 200", () => {
    const random = createRandom(seed, "bins");
    const binsFor = (count: number): number =>
      histogramInformation(random.normalFill(new Float32Array(2 * count))).bins;
    expect([10, 1000, 5000].map(binsFor)).toEqual([2, 10, 22]);
  });

  test.each([1, 0, 2.5, NaN, 1001])("rejects %d bins", (bins) => {
    const many = scaledPairs("bins", 2000, 0);
    expectError(() => histogramInformation(many, { bins }), {
      code: "invalid-argument",
      argument: "bins",
      phrase: "1000",
    });
  });

  test("rejects fewer pairs than bins, and unknown options", () => {
    expectError(() => histogramInformation(pairs, { bins: 61 }), {
      code: "invalid-argument",
      argument: "pairs",
    });
    expectError(() => histogramInformation(pairs.subarray(0, 6)), {
      code: "invalid-argument",
      argument: "pairs",
    });
    expect(() => histogramInformation(pairs, { bin: 3 } as object)).toThrow(
      refusal("the options of histogramInformation", "have only the fields bins, groups", "bin"),
    );
  });
});
