import { describe, expect, test } from "vitest";
import { portableExp, portableLog } from "../../src/random/portable-math.js";

/** |value − truth| in units of `scale`'s machine precision. */
function errorInUlps(value: number, truth: number, scale = truth): number {
  return Math.abs(value - truth) / (Math.abs(scale) * Number.EPSILON);
}

describe("portableLog", () => {
  test("differs from Math.log by at most 2 machine epsilons of its value", () => {
    let worst = 0;
    for (let i = 1; i <= 200_000; i += 1) {
      for (const x of [i / 200_001, 1 + i / 1e5, i * 1.7e-300, i * 3.1e290]) {
        worst = Math.max(worst, errorInUlps(portableLog(x), Math.log(x)));
      }
    }
    expect(worst).toBeLessThanOrEqual(2);
  });

  test("is exact at 1 and monotone around it", () => {
    expect(portableLog(1)).toBe(0);
    expect(portableLog(1 - 2 ** -53)).toBe(-(2 ** -53));
    expect(portableLog(1 + 2 ** -52)).toBe(2 ** -52);
  });
});

describe("portableExp", () => {
  test("differs from Math.exp by at most 2 machine epsilons of its value", () => {
    let worst = 0;
    for (let i = -200_000; i <= 200_000; i += 1) {
      for (const x of [i / 1e5, i / 300]) {
        worst = Math.max(worst, errorInUlps(portableExp(x), Math.exp(x)));
      }
    }
    expect(worst).toBeLessThanOrEqual(2);
  });

  test("is exact at 0", () => {
    expect(portableExp(0)).toBe(1);
  });
});
