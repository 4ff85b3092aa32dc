import { describe, expect, test } from "vitest";
import {
  compact,
  fixed,
  fixedChange,
  measured,
  percent,
  significant,
  thousands,
  withMinus,
} from "../../src/numbers/format-number.js";

test("replaces every hyphen of a number by a minus sign", () => {
  expect(withMinus(-1e-7)).toBe("−1e−7");
  expect(withMinus("-0.50")).toBe("−0.50");
});

test("never prints a negative zero with fixed decimals", () => {
  expect([-0.004, -0.006, 1.005, -2, 0].map((value) => fixed(value, 2))).toEqual([
    "0.00",
    "−0.01",
    "1.00",
    "−2.00",
    "0.00",
  ]);
  expect(fixed(Number.NEGATIVE_INFINITY, 1)).toBe("−Infinity");
  expect(fixed(Number.NaN, 1)).toBe("NaN");
});

test("prints the sign of a change unless it rounds to zero", () => {
  expect([0.5, -0.5, 0, 0.04, -0.04].map((value) => fixedChange(value, 1))).toEqual([
    "+0.5",
    "−0.5",
    "0.0",
    "0.0",
    "0.0",
  ]);
});

test("prints significant digits without trailing zeros", () => {
  expect([0.000123456, 1.5, -2.0449, 123456, -1e-9].map((value) => significant(value))).toEqual([
    "0.000123",
    "1.5",
    "−2.04",
    "123000",
    "−1e−9",
  ]);
  expect(significant(0.12345, 2)).toBe("0.12");
});

test("prints compact numbers with an exponent below 0.001 and from 100,000", () => {
  expect([0, 1.5, -0.01234, 0.001, 1_234_567, 3e-7, -4e-10].map(compact)).toEqual([
    "0",
    "1.5",
    "−0.0123",
    "0.001",
    "1.2e6",
    "3.0e−7",
    "−4.0e−10",
  ]);
});

test("separates thousands by commas in every locale", () => {
  expect([999, 1000, 1_234_567, -12_345].map(thousands)).toEqual([
    "999",
    "1,000",
    "1,234,567",
    "−12,345",
  ]);
});

test("never prints a positive share as zero", () => {
  expect([0, 0.0004, 0.001, 0.125, 1].map(percent)).toEqual([
    "0.0 %",
    "< 0.1 %",
    "0.1 %",
    "12.5 %",
    "100.0 %",
  ]);
});

describe("prints a measured value to two digits of its error", () => {
  test.each([
    [3.41234, 0.0213, "3.412 ± 0.021"],
    [-152.3, 4.26, "−152.3 ± 4.3"],
    [152.3, 42.6, "152 ± 43"],
    [2, 0, "2.0000 ± 0.0000"],
    [-1e-12, 1e-12, "0.000000000 ± 0.000000000"],
    [2, NaN, "2.0000"],
    [NaN, NaN, "none"],
  ])("%d ± %d: %s", (value, error, text) => {
    expect(measured(value, error)).toBe(text);
  });
});
