import { describe, expect, test } from "vitest";
import { waveletFilters, waveletNames } from "../../src/wavelets/filter-bank.js";
import { expectClose } from "../support/expect-close.js";

const dot = (a: Float64Array, b: Float64Array, shift: number): number =>
  a.reduce((sum, value, i) => sum + (i + shift < b.length ? value * b[i + shift] : 0), 0);
const moment = (filter: Float64Array, power: number): number =>
  filter.reduce((sum, value, i) => sum + value * ((i - 7.5) / 7.5) ** power, 0);
/** Every coefficient is rounded once, 16 products are added. */
const rounding = { absolute: 16 * Number.EPSILON };

describe.each(waveletNames)("%s", (name) => {
  const { low, high } = waveletFilters(name);

  test("is orthonormal to its even shifts, also low to high", () => {
    expect(low.length % 2).toBe(0);
    for (let shift = 0; shift < low.length; shift += 2) {
      const unit = shift === 0 ? 1 : 0;
      expectClose(dot(low, low, shift), unit, rounding, `low, ${shift}`);
      expectClose(dot(high, high, shift), unit, rounding, `high, ${shift}`);
      expectClose(dot(low, high, shift), 0, rounding, `low with high, ${shift}`);
      expectClose(dot(high, low, shift), 0, rounding, `high with low, ${shift}`);
    }
  });

  test("passes a constant in its low frequencies only", () => {
    expectClose(moment(low, 0), Math.SQRT2, rounding);
    expectClose(moment(high, 0), 0, rounding);
  });
});

describe("symlet8", () => {
  const { low, high } = waveletFilters("symlet8");

  test("has eight vanishing moments, and not nine", () => {
    for (let power = 0; power < 8; power++) expectClose(moment(high, power), 0, rounding);
    expect(Math.abs(moment(high, 8))).toBeGreaterThan(1e-4);
  });

  test("is nearly symmetric: its centre is within one place of the middle", () => {
    const middle = low.reduce((sum, value, i) => sum + (value * i) / Math.SQRT2, 0);
    expect(Math.abs(middle - 7.5)).toBeLessThan(1);
  });
});
