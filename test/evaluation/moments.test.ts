import { describe, expect, test } from "vitest";
import { MomentAccumulator, excessKurtosis } from "../../src/evaluation/moments.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

describe("excessKurtosis", () => {
  test("is −2 for a fair coin and −6/5·(n² + 1)/(n² − 1) for the numbers 1 to n", () => {
    expectClose(excessKurtosis([1, -1, 1, -1]), -2, { absolute: 1e-14 });
    const n = 1000;
    const numbers = Array.from({ length: n }, (_, k) => k + 1);
    expectClose(excessKurtosis(numbers), (-1.2 * (n * n + 1)) / (n * n - 1), { relative: 1e-12 });
  });

  test("keeps its digits if the mean is large", () => {
    const values = Array.from({ length: 500 }, (_, k) => Math.sin(k) ** 3);
    const shifted = values.map((value) => value + 2 ** 20);
    // The shift itself rounds values to 2^−32.
    expectClose(excessKurtosis(shifted), excessKurtosis(values), { absolute: 1e-7 });
  });

  test(`is 0 for normal and 3 for Laplace's distribution, as far as samples tell (seed ${seed})`, () => {
    const n = 200_000;
    const random = createRandom(seed, "kurtosis");
    // Standard errors: √(24/n) = 0.011; √((μ₈ − …)/n) is about 0.12 for Laplace's.
    expect(Math.abs(excessKurtosis(random.normalFill(new Float64Array(n))))).toBeLessThan(0.055);
    const laplace = Float64Array.from({ length: n }, () => {
      const [a, b, c, d] = random.normalFill(new Float64Array(4));
      return a * b + c * d;
    });
    expect(Math.abs(excessKurtosis(laplace) - 3)).toBeLessThan(0.6);
  });

  test("is NaN if all values are equal", () => {
    expect(excessKurtosis([2, 2, 2])).toBeNaN();
  });
});

describe("MomentAccumulator", () => {
  test("gives the same result for batches as for all values at once", () => {
    const values = Float64Array.from({ length: 100 }, (_, k) => Math.cos(k * k));
    const batches = new MomentAccumulator().add(values.subarray(0, 33)).add(values.subarray(33));
    const once = new MomentAccumulator().add(values);
    expect(batches).toEqual(once);
    expect(batches.excessKurtosis).toBe(once.excessKurtosis);
    const mean = values.reduce((sum, value) => sum + value, 0) / 100;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 100;
    expectClose([once.mean, once.variance], [mean, variance], { absolute: 1e-15 });
    expect(once.count).toBe(100);
  });

  test("has no mean without values", () => {
    expect(new MomentAccumulator().mean).toBeNaN();
  });
});
