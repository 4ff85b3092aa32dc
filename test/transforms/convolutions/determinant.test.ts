import { describe, expect, test } from "vitest";
import { createRandom } from "../../../src/random/random-stream.js";
import { trusted } from "../../../src/transforms/checks.js";
import { type Convolution, convolution } from "../../../src/transforms/convolution.js";
import {
  type ConvolutionDeterminantGradient,
  convolutionDeterminant,
  convolutionDeterminantGradient,
} from "../../../src/transforms/convolutions/determinant.js";
import { halfGrid } from "../../../src/transforms/convolutions/frequencies.js";
import { symmetricEigen } from "../../../src/transforms/symmetric-eigen.js";
import { gradientByDifferences, logAbsDeterminant } from "../../support/differences.js";
import { convolutionCases, explicitMatrix } from "../../support/image-models.js";
import { expectClose, largest } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { simdRunner } from "../../support/inline-runners.js";
import { expectRightOnAverage } from "../../support/statistics.js";
import { seed } from "../../support/seed.js";

describe(`the log-determinant of a convolution (seed ${seed})`, () => {
  test.each(convolutionCases)("equals that of the explicit matrix: %s", (_, grid, given) => {
    const { logDeterminant } = convolutionDeterminant(given, grid);
    // Two eliminations of at most 36 columns.
    expectClose(logDeterminant, logAbsDeterminant(explicitMatrix(given, grid)), {
      absolute: 1e-12,
    });
  });

  test.each(convolutionCases)("comes with the smallest singular value: %s", (_, grid, given) => {
    const { smallestSingularValue } = convolutionDeterminant(given, grid);
    const columns = explicitMatrix(given, grid);
    const n = columns.length;
    const gram = new Float64Array(n * n);
    columns.forEach((a, i) => {
      columns.forEach((b, j) => {
        gram[i * n + j] = a.reduce((sum, value, k) => sum + value * b[k], 0);
      });
    });
    const least = symmetricEigen(gram, n).values.reduce((a, b) => Math.min(a, b));
    // A few steps select the frequency, so a slightly larger value may be found.
    expectClose(smallestSingularValue, Math.sqrt(least), { relative: 1e-2 });
  });

  test.each(convolutionCases)("has the gradient of central differences: %s", (_, grid, given) => {
    const weights = Float64Array.from(given.weights);
    const changed = trusted<Convolution>({ ...given, weights });
    const differences = gradientByDifferences(
      weights,
      () => -convolutionDeterminant(changed, grid).logDeterminant,
    );
    const { gradient, logDeterminant } = convolutionDeterminantGradient(given, grid);
    expectClose(gradient, differences, { relative: 1e-8, scale: largest(differences) });
    // Another order of the sums.
    const wanted = convolutionDeterminant(given, grid).logDeterminant;
    expectClose(logDeterminant, wanted, { relative: 1e-14, absolute: 1e-14 });
  });

  test.each(convolutionCases)("agrees with Float32 kernels to 1e-5: %s", (_, grid, given) => {
    const { kernels } = simdRunner;
    const exact = convolutionDeterminantGradient(given, grid);
    const fast = convolutionDeterminantGradient(given, grid, { kernels });
    expectClose(fast.logDeterminant, exact.logDeterminant, { absolute: 1e-5 });
    expectClose(fast.gradient, exact.gradient, { relative: 1e-5, scale: largest(exact.gradient) });
    expectClose(fast.smallestSingularValue, exact.smallestSingularValue, { relative: 1e-2 });
  });

  test("and its gradient are unbiased for a sample of the frequencies", async () => {
    const [, grid, given] = convolutionCases[0];
    const random = createRandom(seed, "frequencies");
    const valuesOf = ({ logDeterminant, gradient }: ConvolutionDeterminantGradient) =>
      Float64Array.of(logDeterminant, ...gradient);
    const draw = () => {
      const options = { frequencies: { width: 2, height: 1, random } };
      return Promise.resolve(valuesOf(convolutionDeterminantGradient(given, grid, options)));
    };
    const exact = valuesOf(convolutionDeterminantGradient(given, grid));
    await expectRightOnAverage(3000, draw, exact);
  });

  test("is exact with all frequencies", () => {
    const [, grid, given] = convolutionCases[1];
    const random = createRandom(seed, "frequencies");
    const all = convolutionDeterminant(given, grid, { frequencies: { ...grid, random } });
    expect(all).toEqual(convolutionDeterminant(given, grid));
  });

  test("is −∞ if a frequency is lost, and the smallest singular value 0", () => {
    // A difference of neighbours loses the mean.
    const taps = { width: 2, height: 1, left: 0, top: 0 };
    const difference = convolution({ maps: 1, taps, weights: [1, -1] });
    const grid = { width: 4, height: 3 };
    const lost = convolutionDeterminantGradient(difference, grid);
    expect(lost.logDeterminant).toBe(-Infinity);
    expect(lost.smallestSingularValue).toBe(0);
    expect(lost.gradient.every(Number.isNaN)).toBe(true);
  });

  test("rejects invalid grids and samples of frequencies", () => {
    const [, grid, given] = convolutionCases[0];
    const random = createRandom(seed, "frequencies");
    expect(() => convolutionDeterminant(given, { width: 0, height: 2 })).toThrow("the grid");
    const frequencies = { width: 0, height: 1, random };
    expectError(() => convolutionDeterminant(given, grid, { frequencies }), {
      code: "invalid-argument",
      argument: "the width of the frequencies",
    });
    expectError(() => convolutionDeterminant(given, grid, { frequency: 3 } as never), {
      code: "invalid-argument",
      phrase: '"frequency"',
    });
  });
});

describe("half of the Fourier grid", () => {
  test.each([
    [1, 1],
    [4, 6],
    [5, 3],
    [2, 7],
    [6, 1],
  ])("of %i×%i counts every frequency once", (width, height) => {
    const counts = new Map<string, number>();
    for (const { u, v, weight } of halfGrid({ width, height })) {
      const places = new Set([`${u} ${v}`, `${(width - u) % width} ${(height - v) % height}`]);
      expect(weight).toBe(places.size);
      for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    expect(counts.size).toBe(width * height);
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
  });
});
