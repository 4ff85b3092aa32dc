import { describe, expect, test } from "vitest";
import type { Model } from "../../src/density/model-files/model.js";
import { sampleMosaic, shownImage } from "../../src/figures/sample-mosaic.js";
import { linearToSrgb } from "../../src/images/luminance.js";
import { linear } from "../../src/transforms/linear.js";
import { expectClose } from "../support/expect-close.js";
import { refusal } from "../support/expect-error.js";
import { imageModels } from "../support/image-models.js";

describe("sampleMosaic", () => {
  test("shows whole images in their size, linear light as sRGB, negative values as black", () => {
    const x = Float32Array.of(0.2, 0.9, -0.5, 0.6, 0, 1);
    const size = { width: 3, height: 2 };
    const { width, height, pixels } = sampleMosaic(x, imageModels.linearLight, size);
    expect([width, height]).toEqual([5, 4]);
    const rows = [pixels.subarray(6, 9), pixels.subarray(11, 14)];
    const wanted = [0.2, 0.9, 0, 0.6, 0, 1].map(linearToSrgb);
    // Pixels are Float32.
    expectClose([...rows[0], ...rows[1]], wanted, { absolute: 1e-6 });
  });

  test("enlarges patches to the size of a screen, with their black and white", () => {
    const patch = { width: 2, height: 2, black: -1, white: 3 };
    const transform = linear({ dimension: 4, H: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] });
    const model: Model = { transform, about: { patch } };
    const { width, height, pixels } = sampleMosaic(Float32Array.of(1, 0, 3, -1), model);
    // ⌊640/3⌋ pixels for one, and lines around the patch.
    expect([width, height]).toEqual([428, 428]);
    const at = (column: number, row: number) => pixels[row * width + column];
    expect([at(1, 1), at(426, 1), at(1, 426), at(426, 426)]).toEqual([0.5, 0.25, 1, 0]);
  });

  test("shows one whole image without lines, or several enlarged", () => {
    const size = { width: 2, height: 1 };
    const [dark, light] = [linearToSrgb(0.25), linearToSrgb(0.5)];
    const one = shownImage(
      { ...size, pixels: Float32Array.of(0.25, 0.5) },
      imageModels.linearLight,
    );
    expect([one.width, one.height]).toEqual([2, 1]);
    expectClose(one.pixels, [dark, light], { absolute: 1e-6 });
    const x = Float32Array.of(0.25, 0.5, 0.5, 0.25);
    const two = sampleMosaic(x, imageModels.linearLight, { ...size, columns: 2, zoom: 2 });
    expect([two.width, two.height]).toEqual([11, 4]);
    const row = two.pixels.subarray(11, 22);
    const lines = [1, dark, dark, light, light, 1, light, light, dark, dark, 1];
    expectClose(row, lines, { absolute: 1e-6 });
  });

  test("requires the size of whole images", () => {
    const untold = imageModels.images as unknown as Model;
    expect(() => sampleMosaic(new Float32Array(16), untold)).toThrow(
      refusal("size", "be the size of the images", undefined),
    );
  });
});
