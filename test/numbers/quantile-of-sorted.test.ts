import { expect, test } from "vitest";
import { quantileOfSorted } from "../../src/numbers/quantile-of-sorted.js";

test("value i of n is the quantile at (i + ½)/n, and others lie on lines between", () => {
  const sorted = Float64Array.of(1, 2, 4, 8);
  expect([0.125, 0.375, 0.625, 0.875].map((p) => quantileOfSorted(sorted, p))).toEqual([
    1, 2, 4, 8,
  ]);
  expect(quantileOfSorted(sorted, 0.5)).toBe(3);
  expect(quantileOfSorted(sorted, 0.25)).toBe(1.5);
});

test("beyond the outermost values it stays at them", () => {
  const sorted = Float64Array.of(1, 2, 4, 8);
  expect([0, 0.1, 0.9, 1].map((p) => quantileOfSorted(sorted, p))).toEqual([1, 1, 8, 8]);
  expect(quantileOfSorted(Float64Array.of(5), 0.3)).toBe(5);
});
