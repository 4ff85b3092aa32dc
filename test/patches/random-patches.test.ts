import { describe, expect, it } from "vitest";
import { randomPatches } from "../../src/patches/random-patches.js";
import { createRandom } from "../../src/random/random-stream.js";

/** Pixel (row, column) of image k has the value 10000k + 100 row + column, so a patch tells where it is from. */
const image = (k: number, width: number, height: number) => ({
  width,
  height,
  pixels: Float32Array.from(
    { length: width * height },
    (_, p) => 10_000 * k + 100 * Math.floor(p / width) + (p % width),
  ),
});

describe("randomPatches", () => {
  it("cuts squares out of the images, row by row", () => {
    const patches = randomPatches(createRandom(1), [image(1, 9, 7), image(2, 5, 30)], 3, 200);
    for (let s = 0; s < 200; s++) {
      const patch = patches.subarray(9 * s, 9 * (s + 1));
      const corner = patch[0];
      expect([...patch].map((value) => value - corner)).toEqual([
        0, 1, 2, 100, 101, 102, 200, 201, 202,
      ]);
    }
  });

  it("reaches every place of every image", () => {
    const patches = randomPatches(createRandom(2), [image(0, 6, 5), image(1, 4, 4)], 4, 2000);
    const corners = new Set(Array.from({ length: 2000 }, (_, s) => patches[16 * s]));
    expect([...corners].sort((a, b) => a - b)).toEqual([0, 1, 2, 100, 101, 102, 10_000]);
  });

  it("names an image that is too small, and an empty list", () => {
    const images = [image(0, 8, 8), image(1, 8, 3)];
    expect(() => randomPatches(createRandom(1), images, 4, 1)).toThrow(
      'Expected image 1 to be at least 4×4 pixels but received "8×3".',
    );
    expect(() => randomPatches(createRandom(1), [], 4, 1)).toThrow(
      "Expected images to hold at least one image but received 0.",
    );
  });
});
