import { describe, expect, test } from "vitest";
import { portablePow } from "../../src/numbers/power.js";
import { special, worstInUlps } from "./ulps.js";

describe("portablePow", () => {
  test("is within 0.7 ulp of mpmath's, also near 1 with large exponents", () => {
    expect(worstInUlps("pow", portablePow)).toBeLessThanOrEqual(0.7);
  });

  test("is exact if the power is an integer", () => {
    for (let base = 1; base <= 30; base++) {
      for (let exponent = 0, power = 1; power < 2 ** 53; exponent++, power *= base) {
        expect(portablePow(base, exponent), `${base}^${exponent}`).toBe(power);
        expect(portablePow(-base, exponent)).toBe(exponent % 2 === 0 ? power : -power);
        if (base === 1 && exponent > 3) break;
      }
    }
    for (let k = -1074; k < 1024; k++) expect(portablePow(2, k)).toBe(2 ** k);
  });

  test("has ECMAScript's values at 0, infinity, NaN and negative numbers", () => {
    for (const base of special) {
      for (const exponent of special) {
        const wanted = base ** exponent;
        const found = portablePow(base, exponent);
        const isExact = !Number.isFinite(wanted) || wanted === 0;
        const what = `${base} ** ${exponent}`;
        if (isExact) expect(found, what).toBe(wanted);
        else expect(Math.abs(found / wanted - 1), what).toBeLessThan(1e-15);
      }
    }
  });
});
