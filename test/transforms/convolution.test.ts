import { describe, expect, test } from "vitest";
import { convolvedField } from "../../src/density/images/convolution-products.js";
import {
  type ConvolutionInput,
  convolution,
  startingConvolution,
} from "../../src/transforms/convolution.js";
import { convolutionDeterminant } from "../../src/transforms/convolutions/determinant.js";
import { pcaWhitening } from "../../src/transforms/whitening.js";
import { randomField } from "../support/image-models.js";
import { expectClose } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";
import { referenceRunner } from "../support/inline-runners.js";

const taps = { width: 2, height: 1, left: 0, top: 0 };
const input: ConvolutionInput = { maps: 2, taps, weights: [1, 0, 0, 1, 0.1, 0.2, 0.3, 0.4] };

describe("a convolution", () => {
  test("is a copy that survives structured clone", () => {
    const weights = Float64Array.from(input.weights);
    const made = convolution({ ...input, weights });
    weights.fill(7);
    expect(structuredClone(made)).toEqual(convolution(input));
  });

  test.each([
    [{ ...input, maps: 0 }, "Expected maps to be an integer from 1 to 4096"],
    [{ ...input, maps: 3 }, refusal("weights", "hold 18 values", 8)],
    [{ ...input, taps: { ...taps, width: 0 } }, "the width of the taps"],
    [{ ...input, taps: { ...taps, left: 0.5 } }, "the left of the taps"],
    [{ ...input, taps: { ...taps, right: 1 } }, 'but received "right"'],
    [{ ...input, weights: [1, 0, 0, 1, NaN, 0, 0, 0] }, "Expected weights[4] to be finite"],
    [{ ...input, weight: [] }, 'but received "weight"'],
  ])("rejects invalid parameters: case %#", (given, message) => {
    expect(() => convolution(given)).toThrow(message);
  });

  test("rejects fields with another number of maps", async () => {
    const field = randomField({ width: 2, height: 2 }, 3);
    await expect(convolvedField(referenceRunner, convolution(input), field)).rejects.toThrow(
      refusal("the maps of the field", "be 2", 3),
    );
    expectError(() => convolutionDeterminant({} as never, field), {
      code: "invalid-argument",
      argument: "a convolution",
    });
  });
});

describe("a start", () => {
  const field = randomField({ width: 9, height: 8 }, 3);

  test("without a whitening is the identity, whatever its taps", async () => {
    for (const [width, height] of [
      [3, 3],
      [2, 1],
      [9, 5],
    ]) {
      const start = startingConvolution({ maps: 3, width, height });
      expectClose((await convolvedField(referenceRunner, start, field)).values, field.values);
      expect(convolutionDeterminant(start, field).logDeterminant).toBe(0);
    }
  });

  test("with block PCA gives each location identity covariance", async () => {
    const H = pcaWhitening(field.values, 3);
    const start = startingConvolution({ maps: 3, width: 3, H });
    const { values } = await convolvedField(referenceRunner, start, field);
    for (let i = 0; i < 3; i += 1) {
      for (let j = 0; j < 3; j += 1) {
        let sum = 0;
        for (let p = 0; p < values.length; p += 3) sum += values[p + i] * values[p + j];
        // The start is in Float32.
        expectClose(sum / 72, i === j ? 1 : 0, { absolute: 1e-6 });
      }
    }
  });
});
