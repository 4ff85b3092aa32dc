import { describe, expect, test } from "vitest";
import { histogram2dOf, smoothed } from "../../src/evaluation/histogram-2d.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

describe("histogram2dOf", () => {
  test("counts each pair once: the first value gives the column, the second the row", () => {
    const pairs = [0, 0, 2.5, 0.5, 3, 3, 1, 2, -0.1, 1, 1, Infinity, -Infinity, Infinity];
    const { counts, outside, total } = histogram2dOf(pairs, { bins: 3, from: 0, to: 3 });
    expect([...counts]).toEqual([1, 0, 1, 0, 0, 0, 0, 1, 1]);
    expect([outside, total]).toEqual([3, 7]);
  });

  test(`has a density that integrates to the part that is inside (seed ${seed})`, () => {
    const pairs = createRandom(seed, "2d").normalFill(new Float64Array(2000));
    const { density, outside, total } = histogram2dOf(pairs, { bins: 10, from: -1, to: 1.5 });
    const mass = density.values.reduce((sum, value) => sum + value * 0.0625, 0);
    expect(outside).toBeGreaterThan(0);
    expect(mass).toBeCloseTo(1 - outside / total, 12);
    expect(density).toMatchObject({ width: 10, height: 10, from: -1, to: 1.5 });
  });

  test("compares with the edges, where a rounded product would be one bin off", () => {
    const [from, to, bins] = [0, 0.7, 7];
    const edge = from + ((to - from) * 3) / bins;
    const { counts } = histogram2dOf([edge, 0], { bins, from, to });
    expect(counts.indexOf(1)).toBe(3);
  });

  test.each([
    [[1], { bins: 2, from: 0, to: 1 }, "pairs to hold two values each"],
    [[0, NaN], { bins: 2, from: 0, to: 1 }, "pairs[1] to be a number"],
    [[0, 0], { bins: 0, from: 0, to: 1 }, "bins to be a positive integer"],
    [[0, 0], { bins: 2, from: 1, to: 1 }, "to to be larger than 1"],
    [[0, 0], { bins: 2, from: NaN, to: 1 }, "from to be a finite number"],
    [[0, 0], { bins: 2, from: 0, to: 1, bin: 3 }, 'the fields bins, from, to but received "bin"'],
  ])("of %j and %j is refused", (pairs, options, what) => {
    expect(() => histogram2dOf(pairs, options)).toThrow(what);
  });
});

describe("smoothed", () => {
  const grid = (width: number, height: number, values: ArrayLike<number>) => ({
    width,
    height,
    from: 0,
    to: 1,
    values,
  });

  test("spreads one cell as a normal density does, the same along rows and columns", () => {
    const values = new Float64Array(41 * 31);
    values[15 * 41 + 20] = 1;
    const out = smoothed(grid(41, 31, values), 1.5).values;
    const at = (column: number, row: number): number => out[(15 + row) * 41 + 20 + column];
    // Ratios of w do not depend on its sum.
    expect(at(3, 0) / at(0, 0)).toBeCloseTo(Math.exp(-9 / 4.5), 12);
    expect(at(0, -2) / at(0, 0)).toBeCloseTo(Math.exp(-4 / 4.5), 12);
    expect(at(3, -2) / at(0, 0)).toBeCloseTo(Math.exp(-13 / 4.5), 12);
  });

  test("keeps the total away from the border", () => {
    const values = new Float64Array(41 * 31);
    [values[15 * 41 + 20], values[14 * 41 + 22]] = [5, 2];
    const out = smoothed(grid(41, 31, values), 1.5).values;
    expect(out.reduce((sum, value) => sum + value)).toBeCloseTo(7, 12);
  });

  test("keeps planes up to the border: contour lines do not bend there", () => {
    const plane = Float64Array.from(
      { length: 77 },
      (_, k) => 1 + (k % 11) + 3 * Math.floor(k / 11),
    );
    const out = smoothed(grid(11, 7, plane), 2.5).values;
    out.forEach((value, k) => {
      expect(value).toBeCloseTo(plane[k], 12);
    });
  });

  test("does nothing for a deviation of 0, and rejects invalid deviations", () => {
    expect([...smoothed(grid(3, 1, [1, 5, 2]), 0).values]).toEqual([1, 5, 2]);
    expect(() => smoothed(grid(1, 1, [1]), -1)).toThrow("standardDeviationInBins");
    expect(() => smoothed(grid(2, 2, [1]), 1)).toThrow("values to hold 4 values (2×2)");
  });
});
