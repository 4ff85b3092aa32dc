import { describe, expect, test } from "vitest";
import {
  halfToNumber,
  largestHalf,
  numberToHalf,
} from "../../../src/density/model-files/half-floats.js";

/** By the bits of Float32, whose exponent has another bias and whose mantissa is 13 bits longer. */
function expectedValue(bits: number): number {
  const [sign, exponent, mantissa] = [bits >> 15, (bits >> 10) & 31, bits & 1023];
  const view = new DataView(new ArrayBuffer(4));
  const widened = exponent === 31 ? 255 : exponent + 127 - 15;
  view.setUint32(0, sign * 2 ** 31 + widened * 2 ** 23 + mantissa * 2 ** 13);
  if (exponent > 0) return view.getFloat32(0);
  // Below the normal numbers: the same bits with exponent 1, without the leading one.
  view.setUint32(0, (1 + 127 - 15) * 2 ** 23 + mantissa * 2 ** 13);
  return (sign === 0 ? 1 : -1) * (view.getFloat32(0) - 2 ** -14);
}

const allBits = Array.from({ length: 65536 }, (_, bits) => bits);
const isNumber = (bits: number): boolean => !Number.isNaN(halfToNumber(bits));

describe("halfToNumber", () => {
  test("is exact for all 65,536 bit patterns", () => {
    const wrong = allBits.filter((bits) => !Object.is(halfToNumber(bits), expectedValue(bits)));
    expect(wrong).toEqual([]);
  });

  test.each([
    ["one", 0x3c00, 1],
    ["the number nearest to 1/3", 0x3555, 0.333251953125],
    ["the largest", 0x7bff, largestHalf],
    ["the smallest normal number", 0x0400, 2 ** -14],
    ["the smallest of all", 0x0001, 2 ** -24],
    ["minus zero", 0x8000, -0],
    ["minus infinity", 0xfc00, -Infinity],
  ])("knows %s", (_, bits, value) => {
    expect(halfToNumber(bits)).toBe(value);
  });
});

describe("numberToHalf", () => {
  test("returns the bits of every 16-bit number", () => {
    const wrong = allBits.filter(isNumber).filter((b) => numberToHalf(halfToNumber(b)) !== b);
    expect(wrong).toEqual([]);
  });

  test("rounds to the nearest, and halfway to the even one, between all neighbours", () => {
    const wrong = allBits.slice(0, 0x7bff).filter((bits) => {
      const [low, high] = [halfToNumber(bits), halfToNumber(bits + 1)];
      const middle = (low + high) / 2;
      const even = bits % 2 === 0 ? bits : bits + 1;
      const nearer = (middle - low) * 2 ** -30;
      return (
        numberToHalf(middle) !== even ||
        numberToHalf(-middle) !== even + 0x8000 ||
        numberToHalf(middle - nearer) !== bits ||
        numberToHalf(middle + nearer) !== bits + 1
      );
    });
    expect(wrong).toEqual([]);
  });

  test("turns too large numbers into infinities, and keeps NaN", () => {
    expect(numberToHalf(65519.99)).toBe(0x7bff);
    expect([65520, 1e300, Infinity].map(numberToHalf)).toEqual([0x7c00, 0x7c00, 0x7c00]);
    expect(numberToHalf(-65520)).toBe(0xfc00);
    expect(halfToNumber(numberToHalf(NaN))).toBeNaN();
  });
});
