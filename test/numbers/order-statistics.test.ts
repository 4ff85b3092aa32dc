import fc from "fast-check";
import { expect, test } from "vitest";
import { medianOf, nthSmallest, quantileOfSorted } from "../../src/numbers/order-statistics.js";
import { createRandom } from "../../src/random/random-stream.js";

test("returns the same as sorting, for any values", () => {
  const some = fc.array(fc.double({ noNaN: true }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(some, fc.nat(), (list, k) => {
      const n = k % list.length;
      const values = Float64Array.from(list);
      const sorted = values.slice().sort();
      // −0 and 0 are the same value to both.
      expect(nthSmallest(values, n) === sorted[n]).toBe(true);
      expect(values.slice().sort()).toEqual(sorted);
      expect(values.subarray(0, n).every((value) => value <= sorted[n])).toBe(true);
    }),
  );
});

const normal = createRandom(1).normalFill(new Float64Array(50_000));

test.for([
  ["normal", normal],
  ["sorted", normal.slice().sort()],
  ["backwards", normal.slice().sort().reverse()],
  ["of few kinds", normal.map((value) => Math.round(value))],
  ["all the same", new Float64Array(50_000)],
] as const)("also for many values: %s", ([, values]) => {
  const sorted = values.slice().sort();
  for (const n of [0, 1, 2499, 24_999, 25_000, 49_999]) {
    expect(nthSmallest(values.slice(), n)).toBe(sorted[n]);
  }
});

test("value i of n is the quantile at (i + ½)/n, with linear interpolation between", () => {
  const sorted = Float64Array.of(1, 2, 4, 8);
  expect([0.125, 0.375, 0.625, 0.875].map((p) => quantileOfSorted(sorted, p))).toEqual([
    1, 2, 4, 8,
  ]);
  expect(quantileOfSorted(sorted, 0.5)).toBe(3);
  expect(quantileOfSorted(sorted, 0.25)).toBe(1.5);
});

test("is constant beyond the outermost values", () => {
  const sorted = Float64Array.of(1, 2, 4, 8);
  expect([0, 0.1, 0.9, 1].map((p) => quantileOfSorted(sorted, p))).toEqual([1, 1, 8, 8]);
  expect(quantileOfSorted(Float64Array.of(5), 0.3)).toBe(5);
});

test("the median is the middle value, or the mean of the two in the middle", () => {
  expect(medianOf([3, 1, 2])).toBe(2);
  expect(medianOf(Float32Array.of(8, 1, 4, 2))).toBe(3);
  expect(medianOf([])).toBeNaN();
});
