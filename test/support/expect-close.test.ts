import { describe, expect, test } from "vitest";
import { expectClose, expectSameBits } from "./expect-close.js";

describe("expectClose", () => {
  test("names the worst index, both values, the error and the tolerance", () => {
    expect(() => {
      expectClose([1, 2.5, 3.1, 4], [1, 2, 3, 4], { absolute: 0.01 }, "y");
    }).toThrow(
      "y: worst of 2 misses among 4 values is at index 1: expected 2 but received 2.5; " +
        "error 5.000e-1, allowed 1.000e-2 (50.0 times too much)",
    );
  });

  test("measures errors by the value or by the scale, whichever is larger", () => {
    expectClose([1001], [1000], { relative: 1e-3 });
    expectClose([0.1], [0], { relative: 1e-3, scale: 100 });
    expectClose([0.1, 100], [0, 101], { relative: 1e-2, scale: [10, 0] });
    expect(() => {
      expectClose([0.1, 100], [0, 102], { relative: 1e-2, scale: [10, 0] });
    }).toThrow("at index 1");
  });

  test("accepts NaN and ±∞ only as themselves, whatever the tolerance", () => {
    expectClose([NaN, Infinity], [NaN, Infinity]);
    for (const [actual, expected] of [
      [NaN, 1],
      [1, NaN],
      [Infinity, 1],
      [-Infinity, Infinity],
      [1, Infinity],
    ]) {
      expect(() => {
        expectClose(actual, expected, { absolute: 10, relative: 10 });
      }).toThrow("index 0");
    }
  });

  test("compares lengths, and requires equality without a tolerance", () => {
    expect(() => {
      expectClose([1, 2], [1]);
    }).toThrow("expected 1 values but received 2");
    expect(() => {
      expectClose([1 + Number.EPSILON], [1]);
    }).toThrow("allowed 0.000e+0");
  });
});

describe("expectSameBits", () => {
  test("distinguishes −0 from 0, and accepts any NaN for NaN", () => {
    expectSameBits([NaN, -0], [NaN, -0]);
    expect(() => {
      expectSameBits([0, -0], [0, 0]);
    }).toThrow("at index 1");
  });
});
