import { describe, expect, test } from "vitest";
import {
  type ChartSeries,
  aboveLowest,
  allAbscissas,
  csvOf,
  extentOf,
  nearestIndex,
  smoothed,
  valueAt,
} from "../../../../lab/components/charts/series.js";

const series = (x: number[], y: number[], label = "a"): ChartSeries => ({ label, x, y, rank: 0 });

describe("values at the crosshair", () => {
  test.each([
    [-5, 0],
    [0, 0],
    [4, 0],
    [6, 1],
    [16, 2],
    [99, 2],
  ])("the point nearest to %d is number %d", (x, k) => {
    expect(nearestIndex({ x: [0, 10, 20] }, x)).toBe(k);
  });

  test("a series has no value far outside of its points, or in a gap", () => {
    const short = series([0, 10], [1, 2]);
    expect([valueAt(short, 10.4, 0.5), valueAt(short, 11, 0.5)]).toEqual([2, null]);
    expect(valueAt(series([0], [NaN]), 0, 1)).toBeNull();
    expect(valueAt(series([], []), 0, 1)).toBeNull();
  });

  test("can be read at every x of every series, once", () => {
    expect(allAbscissas([series([1, 3], [0, 0]), series([2, 3], [0, 0])])).toEqual([1, 2, 3]);
  });
});

describe("smoothing", () => {
  test("draws means of neighbours, of fewer at the ends", () => {
    expect(smoothed([0, 3, 6, 3, 0], 3)).toEqual([0, 3, 4, 3, 0]);
  });

  test("keeps a straight line, and its gaps", () => {
    expect(smoothed([1, 2, 3, 4, 5], 5)).toEqual([1, 2, 3, 4, 5]);
    expect(smoothed([1, NaN, 3], 3)).toEqual([1, NaN, 3]);
  });
});

test("negative values are drawn above the lowest of all series, on a logarithmic axis", () => {
  const [a, b] = aboveLowest([series([0, 1], [-1, -3]), series([0, 1], [-2, NaN])]);
  expect([a.y, b.y]).toEqual([
    [2, NaN],
    [1, NaN],
  ]);
});

test("the extent covers all series, and is missing without points", () => {
  expect(extentOf([series([2, 5], [0, 0]), series([], []), series([1], [0])])).toEqual([1, 5]);
  expect(extentOf([series([], [])])).toBeNull();
});

test("CSV has a row for each point, empty cells for gaps, and quotes names", () => {
  expect(csvOf([series([1, 2], [-0.5, NaN], 'a "b", c')], "step", "ΔJ")).toBe(
    'series,step,ΔJ\n"a ""b"", c",1,-0.5\n"a ""b"", c",2,\n',
  );
});
