import { describe, expect, test } from "vitest";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { convolution } from "../../../src/transforms/convolution.js";
import { invertConvolution } from "../../../src/transforms/convolutions/inverse.js";
import {
  applyConvolution,
  convolutionGradients,
} from "../../../src/transforms/convolutions/products.js";
import { gradientByDifferences } from "../../support/differences.js";
import {
  convolutionCases,
  convolvedByDefinition,
  randomField,
} from "../../support/image-models.js";
import { expectClose, largest } from "../../support/expect-close.js";
import { expectError, refusal } from "../../support/expect-error.js";
import { simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

describe(`a convolution (seed ${seed})`, () => {
  test.each(convolutionCases)("equals its definition, by products: %s", (_, grid, given) => {
    const x = randomField(grid, given.maps);
    const wanted = convolvedByDefinition(given, x);
    const { values, ...size } = applyConvolution(referenceKernels, given, x);
    expect(size).toEqual({ ...grid, maps: given.maps });
    expectClose(values, wanted, { relative: 1e-13, scale: largest(wanted) });
    // One rounding for each of at most 60 products, and those of weights and values.
    const inFloat32 = applyConvolution(simdRunner.kernels, given, x);
    expect(inFloat32.values).toBeInstanceOf(Float32Array);
    expectClose(inFloat32.values, wanted, { relative: 2e-6, scale: largest(wanted) });
  });

  test.each(convolutionCases)("is inverted to 1e-10, in both orders: %s", (_, grid, given) => {
    const x = randomField(grid, given.maps);
    const y = applyConvolution(referenceKernels, given, x);
    expectClose(invertConvolution(given, y).values, x.values, { absolute: 1e-10 });
    const back = applyConvolution(referenceKernels, given, invertConvolution(given, x));
    expectClose(back.values, x.values, { absolute: 1e-10 });
  });

  test.each(convolutionCases)("has the gradients of central differences: %s", (_, grid, given) => {
    const weights = Float64Array.from(given.weights);
    const x = randomField(grid, given.maps);
    const upstream = randomField(grid, given.maps, "upstream");
    const loss = (): number =>
      convolvedByDefinition(convolution({ ...given, weights }), x).reduce(
        (sum, value, k) => sum + value * upstream.values[k],
        0,
      );
    const byWeights = gradientByDifferences(weights, loss);
    const byValues = gradientByDifferences(x.values as Float64Array, loss);
    for (const [kernels, relative] of [
      [referenceKernels, 1e-9],
      [simdRunner.kernels, 2e-6],
    ] as const) {
      const found = convolutionGradients(kernels, given, x, upstream);
      expectClose(found.weights, byWeights, { relative, scale: largest(byWeights) });
      expectClose(found.x.values, byValues, { relative, scale: largest(byValues) });
    }
  });

  test("that loses a frequency is rejected with its name", () => {
    const taps = { width: 2, height: 1, left: 0, top: 0 };
    const mean = convolution({ maps: 1, taps, weights: [0.5, 0.5] });
    const field = randomField({ width: 4, height: 1 }, 1);
    expectError(() => invertConvolution(mean, field), { code: "not-invertible", phrase: "(2, 0)" });
    // Rows of odd length do not have this frequency.
    expect(invertConvolution(mean, randomField({ width: 5, height: 1 }, 1)).values).toHaveLength(5);
  });

  test("rejects upstream gradients of another size", () => {
    const [, grid, given] = convolutionCases[0];
    const x = randomField(grid, given.maps);
    const other = randomField({ width: 3, height: 5 }, given.maps);
    expect(() => convolutionGradients(referenceKernels, given, x, other)).toThrow(
      refusal("upstream", "have the 5×3 locations of the field", "3×5"),
    );
  });
});
