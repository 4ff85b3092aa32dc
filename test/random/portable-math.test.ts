import { describe, expect, test } from "vitest";
import { portableExp, portableLog } from "../../src/random/portable-math.js";

/** |value − truth| in units of `scale`'s machine precision. */
function errorInUlps(value: number, truth: number, scale = truth): number {
  return Math.abs(value - truth) / (Math.abs(scale) * Number.EPSILON);
}

describe("portableLog", () => {
  test("differs from Math.log by at most 1 machine epsilon of its value", () => {
    let worst = 0;
    for (let i = 1; i <= 200_000; i += 1) {
      for (const x of [i / 200_001, 1 + i / 1e5, i * 1.7e-300, i * 3.1e290]) {
        worst = Math.max(worst, errorInUlps(portableLog(x), Math.log(x)));
      }
    }
    expect(worst).toBeLessThanOrEqual(1);
  });

  test("so it does around 1, where the result is near 0", () => {
    let worst = 0;
    for (let i = 1; i <= 200_000; i += 1) {
      for (const x of [1 + i / 1e7, 1 - i / 1e7, 1 + i * 2 ** -52, 1 - i * 2 ** -53]) {
        worst = Math.max(worst, errorInUlps(portableLog(x), Math.log(x)));
      }
    }
    expect(worst).toBeLessThanOrEqual(1);
  });

  test("so it does at the smallest and the largest normal number", () => {
    for (const x of [2 ** -1022, Number.MAX_VALUE]) {
      expect(errorInUlps(portableLog(x), Math.log(x))).toBeLessThanOrEqual(1);
    }
  });

  test("never falls where one entry of its table follows another", () => {
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

  test("is the nearest number at 1 and beside it", () => {
    expect(portableLog(1)).toBe(0);
    expect(portableLog(1 - 2 ** -53)).toBe(-(2 ** -53));
    expect(portableLog(1 + 2 ** -52)).toBe(2 ** -52 - 2 ** -105);
  });
});

describe("portableExp", () => {
  test("differs from Math.exp by at most 1 machine epsilon of its value", () => {
    let worst = 0;
    for (let i = -200_000; i <= 200_000; i += 1) {
      for (const x of [i / 1e5, i / 300]) {
        worst = Math.max(worst, errorInUlps(portableExp(x), Math.exp(x)));
      }
    }
    expect(worst).toBeLessThanOrEqual(1);
  });

  test("is exact at 0", () => {
    expect(portableExp(0)).toBe(1);
  });
});
