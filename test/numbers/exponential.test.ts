import { describe, expect, test } from "vitest";
import { portableExp } from "../../src/numbers/exponential.js";
import { isSpecial, special, worstInUlps } from "./ulps.js";

describe("portableExp", () => {
  test("is within 0.8 ulp of mpmath's, also for subnormal results", () => {
    expect(worstInUlps("exp", portableExp)).toBeLessThanOrEqual(0.8);
  });

  test("has ECMAScript's values at 0, infinity and NaN", () => {
    for (const x of special) {
      const wanted = Math.exp(x);
      if (isSpecial(wanted)) expect(portableExp(x), String(x)).toBe(wanted);
    }
  });

  test("becomes 0 and infinite beyond the range of Float64", () => {
    expect(portableExp(-745.1)).toBe(Number.MIN_VALUE);
    expect(portableExp(-745.14)).toBe(0);
    expect(portableExp(709.78)).toBeLessThan(Infinity);
    expect(portableExp(709.79)).toBe(Infinity);
  });

  test("never decreases where its range is cut", () => {
    for (const x of [-708.4, -700, 700, 709]) {
      expect(portableExp(x + 1e-12)).toBeGreaterThan(portableExp(x));
    }
  });
});
