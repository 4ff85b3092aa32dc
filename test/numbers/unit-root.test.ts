import { describe, expect, test } from "vitest";
import { unitRoot } from "../../src/numbers/unit-root.js";

/** Reduces 2πk/n to an angle near an axis before rounding, for accurate reference values. */
function truth(k: number, n: number): { cosine: number; sine: number } {
  const quarter = Math.round((4 * k) / n);
  const t = (2 * Math.PI * (4 * k - quarter * n)) / (4 * n);
  const [c, s] = [Math.cos(t), Math.sin(t)];
  return [
    { cosine: c, sine: s },
    { cosine: -s, sine: c },
    { cosine: -c, sine: -s },
    { cosine: s, sine: -c },
  ][quarter % 4];
}

describe("unitRoot", () => {
  test("differs from Math.cos and Math.sin by at most 2 machine epsilons of the value", () => {
    let worst = 0;
    for (const n of [3, 5, 7, 12, 17, 100, 383, 766, 1020, 1532, 1_000_003]) {
      const step = Math.max(1, Math.floor(n / 3000));
      for (let k = 0; k < n; k += step) {
        const [found, wanted] = [unitRoot(k, n), truth(k, n)];
        for (const part of ["cosine", "sine"] as const) {
          if (found[part] === wanted[part]) continue;
          const error = Math.abs(found[part] - wanted[part]);
          worst = Math.max(worst, error / (Math.abs(wanted[part]) * Number.EPSILON));
        }
      }
    }
    expect(worst).toBeLessThanOrEqual(2);
  });

  test("is exact on the axes, without −0", () => {
    expect([0, 1, 2, 3, 4].map((k) => unitRoot(k, 4))).toStrictEqual([
      { cosine: 1, sine: 0 },
      { cosine: 0, sine: 1 },
      { cosine: -1, sine: 0 },
      { cosine: 0, sine: -1 },
      { cosine: 1, sine: 0 },
    ]);
  });

  test("has the same bits in all octants and after any number of turns", () => {
    const [n, k] = [1532, 101];
    const { cosine, sine } = unitRoot(k, n);
    expect(unitRoot(n / 4 - k, n)).toEqual({ cosine: sine, sine: cosine });
    expect(unitRoot(n / 4 + k, n)).toEqual({ cosine: -sine, sine: cosine });
    expect(unitRoot(n / 2 - k, n)).toEqual({ cosine: -cosine, sine });
    expect(unitRoot(n / 2 + k, n)).toEqual({ cosine: -cosine, sine: -sine });
    expect(unitRoot((3 * n) / 4 + k, n)).toEqual({ cosine: sine, sine: -cosine });
    expect(unitRoot(n - k, n)).toEqual({ cosine, sine: -sine });
    expect(unitRoot(k + 1_000_000 * n, n)).toEqual({ cosine, sine });
  });
});
