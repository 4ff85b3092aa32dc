import { expect, test } from "vitest";
import { portableHypot } from "../../src/numbers/hypotenuse.js";
import { special, worstInUlps } from "./ulps.js";

test("portableHypot is within 1.5 ulp of mpmath's, also where squares over- or underflow", () => {
  expect(worstInUlps("hypot", portableHypot)).toBeLessThanOrEqual(1.5);
});

test("has ECMAScript's values at 0, infinity and NaN", () => {
  for (const x of special) {
    for (const y of special) {
      const wanted = Math.hypot(x, y);
      const found = portableHypot(x, y);
      const what = `hypot(${x}, ${y})`;
      if (!Number.isFinite(wanted) || wanted === 0) expect(found, what).toBe(wanted);
      else expect(Math.abs(found / wanted - 1), what).toBeLessThan(4e-16);
    }
  }
});
