import { describe, expect, test } from "vitest";
import { portableLog10, portableLog2 } from "../../src/numbers/extended-logarithm.js";
import { isSpecial, special, worstInUlps } from "./ulps.js";

describe.each([
  ["log2", portableLog2],
  ["log10", portableLog10],
] as const)("%s", (name, of) => {
  test("is within 0.51 ulp of mpmath's, from the smallest number to the largest", () => {
    expect(worstInUlps(name, of)).toBeLessThanOrEqual(0.51);
  });

  test("has ECMAScript's values at 0, infinity, NaN and negative numbers", () => {
    for (const x of special) {
      const wanted = Math[name](x);
      if (isSpecial(wanted)) expect(of(x), String(x)).toBe(wanted);
    }
  });
});

test("returns whole logarithms for powers of two and ten", () => {
  for (let k = -1074; k < 1024; k++) expect(portableLog2(2 ** k)).toBe(k);
  for (let k = -300; k <= 300; k++) expect(portableLog10(Number(`1e${k}`))).toBe(k);
});
