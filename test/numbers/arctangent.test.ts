import { expect, test } from "vitest";
import { portableAtan2 } from "../../src/numbers/arctangent.js";
import { special, worstInUlps } from "./ulps.js";

test("portableAtan2 is within 1.2 ulp of mpmath's, in all quadrants", () => {
  expect(worstInUlps("atan2", portableAtan2)).toBeLessThanOrEqual(1.2);
});

test("has ECMAScript's values on the axes, on the diagonals and at infinity", () => {
  for (const y of special) {
    for (const x of special) {
      const wanted = Math.atan2(y, x);
      const found = portableAtan2(y, x);
      const what = `atan2(${y}, ${x})`;
      if (wanted === 0 || Number.isNaN(wanted)) expect(found, what).toBe(wanted);
      else expect(Math.abs(found / wanted - 1), what).toBeLessThan(4e-16);
    }
  }
});

test("increases from 0 to π and is odd, also between two entries of its table", () => {
  let before = 0;
  for (let k = 1; k < 4096; k++) {
    const angle = (Math.PI * k) / 4096;
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    const found = portableAtan2(y, x);
    expect(Math.abs(found - angle)).toBeLessThan(1e-15);
    expect(portableAtan2(-y, x)).toBe(-found);
    expect(found).toBeGreaterThan(before);
    before = found;
  }
});
