import { describe, expect, test } from "vitest";
import { portableLog, portableLog1p } from "../../src/numbers/logarithm.js";
import { isSpecial, special, worstInUlps } from "./ulps.js";

describe("portableLog", () => {
  test("is within 0.8 ulp of mpmath's, from the smallest number to the largest", () => {
    expect(worstInUlps("log", portableLog)).toBeLessThanOrEqual(0.8);
  });

  test("never decreases between two entries of its table", () => {
    let falls = 0;
    for (let i = 0; i < 256; i += 1) {
      const border = 0.5 + (i + 0.5) / 256;
      for (let step = -20; step < 20; step += 1) {
        const x = border + step * 2 ** -53;
        if (portableLog(x) > portableLog(x + 2 ** -53)) falls += 1;
        if (portableLog(2 * x) > portableLog(2 * x + 2 ** -52)) falls += 1;
      }
    }
    expect(falls).toBe(0);
  });

  test("is correctly rounded at 1 and beside it", () => {
    expect(portableLog(1)).toBe(0);
    expect(portableLog(1 - 2 ** -53)).toBe(-(2 ** -53));
    expect(portableLog(1 + 2 ** -52)).toBe(2 ** -52 - 2 ** -105);
  });

  test("has ECMAScript's values at 0, infinity, NaN and negative numbers", () => {
    for (const x of special) {
      const wanted = Math.log(x);
      if (isSpecial(wanted)) expect(portableLog(x), String(x)).toBe(wanted);
    }
  });
});

describe("portableLog1p", () => {
  test("is within 1.5 ulp of mpmath's", () => {
    expect(worstInUlps("log1p", portableLog1p)).toBeLessThanOrEqual(1.5);
  });

  test("has ECMAScript's values at 0, −1, infinity and NaN", () => {
    for (const x of special) {
      const wanted = Math.log1p(x);
      if (isSpecial(wanted)) expect(portableLog1p(x), String(x)).toBe(wanted);
    }
  });
});
