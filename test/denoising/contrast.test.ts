import { describe, expect, test } from "vitest";
import { atContrastOf, atNoiseLevel } from "../../src/denoising/contrast.js";
import type { Model } from "../../src/density/model-files/model.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { linear } from "../../src/transforms/linear.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";

const image = (width: number, height: number, values: readonly number[]): GreyImage => ({
  width,
  height,
  pixels: Float32Array.from(values),
});
// Mean 0.5.
const noisy = image(3, 2, [0.1, 0.9, 0.3, 0.6, 0.4, 0.7]);

describe("atNoiseLevel", () => {
  test("changes the contrast around the mean by the ratio of the noise levels", () => {
    const changed = atNoiseLevel(noisy, 0.2, { noiseLevel: 0.1, size: 2 });
    expect(changed.sigma).toBe(0.1);
    expect([changed.image.width, changed.image.height]).toEqual([3, 2]);
    const halved = [0.3, 0.7, 0.4, 0.55, 0.45, 0.6];
    expectClose(changed.image.pixels, halved, { absolute: float32Epsilon });
  });

  test("changes another image in the same way: around the mean of the noisy one", () => {
    const { like } = atNoiseLevel(noisy, 0.1, { noiseLevel: 0.3, size: 2 });
    const { pixels } = like(image(3, 2, [0.5, 0.6, 0.5, 0.4, 0.9, 0.5]));
    // Three times the contrast, and three roundings of values of about 1.
    expectClose(pixels, [0.5, 0.8, 0.5, 0.2, 1.7, 0.5], { absolute: 6 * float32Epsilon });
  });

  test("brings an estimate back to the contrast and the size of the original", () => {
    const changed = atNoiseLevel(noisy, 0.2, { noiseLevel: 0.05, size: 4 });
    expect([changed.image.width, changed.image.height]).toEqual([4, 4]);
    const back = changed.back(changed.image);
    expect([back.width, back.height]).toEqual([3, 2]);
    // Roundings at a quarter of the contrast count four times on the way back.
    expectClose(back.pixels, noisy.pixels, { absolute: 8 * float32Epsilon });
  });

  test("keeps every bit if the levels are equal", () => {
    const { image: same, back } = atNoiseLevel(noisy, 0.1, { noiseLevel: 0.1, size: 2 });
    expect(same.pixels).toEqual(noisy.pixels);
    expect(back(same).pixels).toEqual(noisy.pixels);
  });
});

describe("atContrastOf", () => {
  const identity = linear({
    dimension: 4,
    H: Array.from({ length: 16 }, (_, k) => (k % 5 === 0 ? 1 : 0)),
  });
  const modelOf = (noiseLevel?: number): Model => ({
    transform: identity,
    about: {
      patch: { width: 2, height: 2 },
      ...(noiseLevel !== undefined && { preprocessing: { noiseLevel } }),
    },
  });

  test("uses the noise level of the model", () => {
    expect(atContrastOf(modelOf(0.4), noisy, 0.1).sigma).toBe(0.4);
  });

  test("uses the given level if the model has none", () => {
    const { sigma, image: same } = atContrastOf(modelOf(), noisy, 0.1);
    expect(sigma).toBe(0.1);
    expect(same.pixels).toEqual(noisy.pixels);
  });
});
