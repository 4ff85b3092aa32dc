import fc from "fast-check";
import { expect, test } from "vitest";
import { nthSmallest } from "../../src/denoising/nth-smallest.js";
import { createRandom } from "../../src/random/random-stream.js";

test("it is what sorting would put there, of any values", () => {
  const some = fc.array(fc.double({ noNaN: true }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(some, fc.nat(), (list, k) => {
      const n = k % list.length;
      const values = Float64Array.from(list);
      const sorted = values.slice().sort();
      // −0 and 0 are the same value to both.
      expect(nthSmallest(values, n) === sorted[n]).toBe(true);
      expect(values.slice().sort()).toEqual(sorted);
      expect(values.subarray(0, n).every((value) => value <= sorted[n])).toBe(true);
    }),
  );
});

const normal = createRandom(1).normalFill(new Float64Array(50_000));

test.for([
  ["normal", normal],
  ["sorted", normal.slice().sort()],
  ["backwards", normal.slice().sort().reverse()],
  ["of few kinds", normal.map((value) => Math.round(value))],
  ["all the same", new Float64Array(50_000)],
] as const)("also of many: %s", ([, values]) => {
  const sorted = values.slice().sort();
  for (const n of [0, 1, 2499, 24_999, 25_000, 49_999]) {
    expect(nthSmallest(values.slice(), n)).toBe(sorted[n]);
  }
});
