import { describe, expect, test } from "vitest";
import { gridPatchCount, gridPatches, randomPatches } from "../../src/patches/image-patches.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectError } from "../support/expect-error.js";

/** Pixel (row, column) of image k is 10000k + 100 row + column: a patch tells its place. */
const image = (k: number, width: number, height: number) => ({
  width,
  height,
  pixels: Float32Array.from(
    { length: width * height },
    (_, p) => 10_000 * k + 100 * Math.floor(p / width) + (p % width),
  ),
});

describe("randomPatches", () => {
  test("cuts squares out of the images, row by row", () => {
    const patches = randomPatches(createRandom(1), [image(1, 9, 7), image(2, 5, 30)], 3, 200);
    for (let s = 0; s < 200; s++) {
      const patch = patches.subarray(9 * s, 9 * (s + 1));
      const corner = patch[0];
      expect([...patch].map((value) => value - corner)).toEqual([
        0, 1, 2, 100, 101, 102, 200, 201, 202,
      ]);
    }
  });

  test("reaches every place of every image", () => {
    const patches = randomPatches(createRandom(2), [image(0, 6, 5), image(1, 4, 4)], 4, 2000);
    const corners = new Set(Array.from({ length: 2000 }, (_, s) => patches[16 * s]));
    expect([...corners].sort((a, b) => a - b)).toEqual([0, 1, 2, 100, 101, 102, 10_000]);
  });

  test("rejects a picture with channels, and swapped arguments", () => {
    const picture = { width: 8, height: 8, channels: [new Float32Array(64)] } as never;
    const image = { code: "invalid-argument", phrase: "{ width, height, pixels }" } as const;
    expectError(() => randomPatches(createRandom(1), [picture], 4, 1), image);
    expectError(() => gridPatches(picture, 4), { ...image, argument: "the image" });
    expectError(() => gridPatches("photo.png" as never, 4), { ...image, argument: "the image" });
    const bytes = { width: 8, height: 8, pixels: new Uint8Array(64) } as never;
    expectError(() => gridPatches(bytes, 4), {
      code: "invalid-argument",
      argument: "the pixels of the image",
    });
    expectError(() => randomPatches([picture] as never, createRandom(1) as never, 4, 1), {
      code: "invalid-argument",
      argument: "random",
    });
  });

  test("names an image that is too small, and an empty list", () => {
    const images = [image(0, 8, 8), image(1, 8, 3)];
    expectError(() => randomPatches(createRandom(1), images, 4, 1), {
      code: "invalid-argument",
      argument: "image 1",
      phrase: /4×4.*8×3/,
    });
    const wanted = { code: "invalid-argument", argument: "images" } as const;
    expectError(() => randomPatches(createRandom(1), [], 4, 1), wanted);
  });
});

/** Pixel (row, column) is 10 row + column. */
const gridImage = {
  width: 7,
  height: 5,
  pixels: Float32Array.from({ length: 35 }, (_, p) => 10 * Math.floor(p / 7) + (p % 7)),
};

describe("gridPatches", () => {
  test("lays patches side by side, row by row, and skips the rest", () => {
    expect([...gridPatches(gridImage, 2)]).toEqual(
      [0, 2, 4, 20, 22, 24].flatMap((corner) => [corner, corner + 1, corner + 10, corner + 11]),
    );
  });

  test("allows overlaps and gaps", () => {
    const corners = (size: number, stride: number): number[] =>
      [...gridPatches(gridImage, size, stride)].filter((_, k) => k % (size * size) === 0);
    expect(corners(3, 2)).toEqual([0, 2, 4, 20, 22, 24]);
    expect(corners(1, 4)).toEqual([0, 4, 40, 44]);
    expect(corners(5, 1)).toEqual([0, 1, 2]);
  });

  test("returns as many patches as gridPatchCount", () => {
    for (const [size, stride] of [
      [1, 1],
      [2, 3],
      [3, 2],
      [5, 9],
    ]) {
      const patches = gridPatches(gridImage, size, stride);
      expect(patches).toHaveLength(gridPatchCount(gridImage, size, stride) * size * size);
    }
    expect(gridPatchCount(gridImage, 2)).toBe(6);
  });

  test("rejects invalid sides and strides, and an image without room", () => {
    for (const [argument, size, stride] of [
      ["size", 0, 1],
      ["stride", 2, 1.5],
      ["the image", 6, 1],
    ] as const) {
      const grid = () => gridPatches(gridImage, size, stride);
      expectError(grid, { code: "invalid-argument", argument });
    }
  });
});
