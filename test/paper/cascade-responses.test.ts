import { describe, expect, test } from "vitest";
import { imageResponses } from "../../src/density/images/image-responses.js";
import { edgeMargins, interiorOf, mapOf } from "../../paper/parts/cascade-responses.js";
import { convolution } from "../../src/transforms/convolution.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { expectError } from "../support/expect-error.js";
import { noiseImage, smallCascade } from "../support/image-models.js";
import { referenceRunner } from "../support/inline-runners.js";

/** One map of x_{p+q} for a single tap. */
const shift = (left: number, top: number) =>
  convolution({ maps: 1, taps: { width: 1, height: 1, left, top }, weights: [1] });

describe("the interior of a field", () => {
  test("adds up the taps of all convolutions, each side by itself", () => {
    expect(edgeMargins(smallCascade)).toEqual({ left: 2, right: 2, top: 2, bottom: 2 });
    const oneSided = imageCascade({ stride: 1, stages: [shift(-3, 2), shift(1, 2)] });
    expect(edgeMargins(oneSided)).toEqual({ left: 2, right: 0, top: 0, bottom: 4 });
  });

  test("does not depend on the opposite edge", async () => {
    const image = noiseImage(24, 20);
    const changed = { ...image, pixels: image.pixels.slice() };
    // The first row and the first column of pixels: with joined edges also neighbours of the last
    // ones.
    for (let k = 0; k < 24; k++) changed.pixels[k] += 3;
    for (let k = 0; k < 20; k++) changed.pixels[k * 24] -= 2;
    const { left, top } = edgeMargins(smallCascade);
    // Responses next to the first rows and columns may change.
    const margins = { left: left + 1, top: top + 1, right: 0, bottom: 0 };
    const lastOf = async (of: typeof image) => {
      const responses = await imageResponses(referenceRunner, smallCascade, of);
      return responses[responses.length - 1];
    };
    const [before, after] = [await lastOf(image), await lastOf(changed)];
    const within = edgeMargins(smallCascade);
    const all = { ...margins, right: within.right, bottom: within.bottom };
    expect(interiorOf(after, all).values).toEqual(interiorOf(before, all).values);
    expect(interiorOf(after, margins).values).not.toEqual(interiorOf(before, margins).values);
  });

  test("keeps the values of its locations", () => {
    const values = Float32Array.from({ length: 5 * 4 * 2 }, (_, k) => k);
    const field = { width: 5, height: 4, maps: 2, values };
    const inner = interiorOf(field, { left: 1, right: 2, top: 2, bottom: 1 });
    expect(inner).toEqual({
      width: 2,
      height: 1,
      maps: 2,
      values: Float32Array.of(22, 23, 24, 25),
    });
    expect(mapOf(inner, 1).values).toEqual(Float64Array.of(23, 25));
    expectError(() => interiorOf(field, { left: 3, right: 2, top: 0, bottom: 0 }), {
      code: "invalid-argument",
      argument: "a field of 5×4",
    });
  });
});
