import { describe, expect, test } from "vitest";
import { kolmogorovSmirnov } from "../../src/evaluation/divergence.js";
import { nearestNeighbourInformation } from "../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { chiDistribution, standardNormal } from "../../src/evaluation/reference-densities.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  applyRadialMap,
  fitRadialMap,
  risingCurve,
  valueOn,
} from "../../src/transforms/radial-map.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { scaledPairs, studentInformation, studentScale } from "../support/pair-samples.js";
import { seed } from "../support/seed.js";

/** Returns the lengths of the samples of a batch. */
function lengthsOf(y: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: y.length / n }, (_, s) =>
    Math.hypot(...y.subarray(s * n, (s + 1) * n)),
  );
}

/** Returns samples of an n-dimensional Student t with three degrees of freedom and unequal axes. */
function heavyTailed(n: number, count: number): Float64Array {
  const random = createRandom(seed, "radial", n);
  const x = new Float64Array(n * count);
  const scale = studentScale(3);
  for (let s = 0; s < count; s++) {
    const root = Math.sqrt(scale(() => random.normal()));
    let before = 0;
    for (let i = 0; i < n; i++) {
      before = root * random.normal() + 0.4 * before;
      x[s * n + i] = before / (i + 1);
    }
  }
  return x;
}

describe(`fitRadialMap, seed ${seed}`, () => {
  test("makes an elliptical Student t normal with independent coordinates", () => {
    const draw = (name: string) => scaledPairs(name, 20_000, 0.6, studentScale(5));
    const map = fitRadialMap(draw("fitted"), 2);
    for (const x of [draw("fitted"), draw("others")]) {
      const y = applyRadialMap(map, x);
      const { inBits, standardErrorInBits } = nearestNeighbourInformation(y);
      expect(Math.abs(inBits)).toBeLessThan(5 * standardErrorInBits);
      expect(nearestNeighbourInformation(x).inBits).toBeGreaterThan(0.9 * studentInformation(5, 0.6)); // prettier-ignore
      for (const c of [0, 1]) {
        // Rarely above 1.63/√n for normal values (1 %); the map adds a similar error for new data.
        const values = y.filter((_, k) => k % 2 === c);
        expect(kolmogorovSmirnov(values, standardNormal)).toBeLessThan((2 * 1.63) / Math.sqrt(20_000)); // prettier-ignore
      }
    }
  });

  test.each([1, 2, 3, 8])("gives radii of a χ distribution with %i degrees of freedom", (n) => {
    const x = heavyTailed(n, 5000);
    const lengths = lengthsOf(applyRadialMap(fitRadialMap(x, n), x), n);
    // Closer than a sample of 5000 (0.02), because its quantiles were fitted, at 65 knots.
    expect(kolmogorovSmirnov(lengths, chiDistribution(n))).toBeLessThan(0.01);
  });

  test("keeps directions after whitening", () => {
    const x = heavyTailed(2, 1000);
    const map = fitRadialMap(x, 2);
    const y = applyRadialMap(map, x);
    const [a, b, c, d] = map.whitening;
    for (let k = 0; k < 40; k += 2) {
      const [x0, x1] = [x[k] - map.mean[0], x[k + 1] - map.mean[1]];
      const v = [a * x0 + b * x1, c * x0 + d * x1];
      const [cross, size] = [v[0] * y[k + 1] - v[1] * y[k], Math.hypot(...v) * Math.hypot(y[k], y[k + 1])]; // prettier-ignore
      expect(Math.abs(cross)).toBeLessThan(8 * Number.EPSILON * size);
      expect(v[0] * y[k] + v[1] * y[k + 1]).toBeGreaterThan(0);
    }
  });

  test("increases with the radius, from 0 to far beyond the data", () => {
    const x = heavyTailed(2, 3000);
    const fitted = fitRadialMap(x, 2);
    expect(applyRadialMap(fitted, fitted.mean)).toEqual(Float64Array.of(0, 0));
    // Near 0, where such small radii exist.
    const map = { ...fitted, mean: Float64Array.of(0, 0) };
    const ray = Float64Array.from({ length: 2 * 4000 }, (_, k) =>
      k % 2 === 0 ? 1.01 ** (k / 2 - 2500) : 0,
    );
    const lengths = lengthsOf(applyRadialMap(map, ray), 2);
    for (let s = 1; s < lengths.length; s++) expect(lengths[s]).toBeGreaterThan(lengths[s - 1]);
    expect(lengths[0]).toBeLessThan(1e-6);
    expect(applyRadialMap(map, Float64Array.of(0, 0))).toEqual(Float64Array.of(0, 0));
  });

  test("does not depend on the mean of the samples", () => {
    const x = heavyTailed(3, 1000);
    const moved = x.map((value, k) => value + [50, -7, 0.3][k % 3]);
    const [y, yMoved] = [x, moved].map((samples) =>
      applyRadialMap(fitRadialMap(samples, 3), samples),
    );
    // Values around 50 have rounding errors of 1e-14, and radii are at least 0.01.
    expectClose(yMoved, y, { absolute: 1e-10 });
  });

  test("hardly changes normal data, also beyond the fitted range", () => {
    const x = createRandom(seed, "normal").normalFill(new Float64Array(2 * 50_000));
    const map = fitRadialMap(x, 2);
    for (const [radius, tolerance] of [[0.01, 0.5], [0.5, 0.03], [2, 0.03], [3.5, 0.05], [8, 0.4]]) {
      const [length] = lengthsOf(applyRadialMap(map, Float64Array.of(radius, 0)), 2);
      // The quantiles of 50,000 values are accurate to 1 %; the five values at either end are less
      // so, and extrapolation amplifies that.
      expectClose(length, radius, { relative: tolerance });
    }
  }); // prettier-ignore

  test("handles ties, and rejects equal radii", () => {
    const x = heavyTailed(2, 2000).map(Math.round);
    const y = applyRadialMap(fitRadialMap(x, 2), x);
    expect(y.every(Number.isFinite)).toBe(true);
    const circle = Float64Array.from({ length: 400 }, (_, k) => [1, 0, 0, 1, -1, 0, 0, -1][k % 8]);
    expectError(() => fitRadialMap(circle, 2), { code: "degenerate-data" });
  });

  test("rejects an invalid batch", () => {
    const x = heavyTailed(2, 200);
    expectError(() => fitRadialMap(x.subarray(0, 100), 2), {
      code: "invalid-argument",
      argument: "x",
      phrase: "100",
    });
    expectError(() => fitRadialMap(x.subarray(1), 2), { code: "invalid-argument", argument: "x" });
    expectError(() => applyRadialMap(fitRadialMap(x, 2), x.subarray(1)), {
      code: "invalid-argument",
      argument: "x",
    });
    expectError(() => fitRadialMap(x, 0), { code: "invalid-argument", argument: "dimension" });
  });
});

describe("risingCurve", () => {
  const x = Float64Array.of(-2, -1, 0.5, 0.6, 3, 3.1, 9);
  const y = Float64Array.of(-7, -6.9, 0, 2, 2.001, 4, 5);
  const curve = risingCurve(x, y, 1);

  test("passes through its knots and never decreases", () => {
    expectClose(
      Float64Array.from(x, (at) => valueOn(curve, at)),
      y,
      { absolute: 1e-14 },
    );
    let before = -Infinity;
    for (let at = -3; at < 10; at += 0.001) {
      const value = valueOn(curve, at);
      expect(value).toBeGreaterThanOrEqual(before);
      before = value;
    }
  });

  test("is smooth at its knots, and straight beyond them", () => {
    const slopeAt = (at: number): number =>
      (valueOn(curve, at + 1e-7) - valueOn(curve, at - 1e-7)) / 2e-7;
    x.forEach((knot, k) => {
      // Second derivatives are up to 1e3 here: the slope changes by 1e-4 within 1e-7.
      expectClose([slopeAt(knot - 1e-6), slopeAt(knot + 1e-6)], [curve.slopes[k], curve.slopes[k]], { absolute: 0.01 }); // prettier-ignore
    });
    expectClose(valueOn(curve, 19) - valueOn(curve, 9), 10 * curve.slopes[6], { relative: 1e-12 });
    expectClose(valueOn(curve, -2) - valueOn(curve, -12), 10 * curve.slopes[0], {
      relative: 1e-12,
    });
  });
});
