import { describe, expect, it } from "vitest";
import { gridPatchCount, gridPatches } from "../../src/patches/grid-patches.js";

/** Pixel (row, column) is 10 row + column. */
const image = {
  width: 7,
  height: 5,
  pixels: Float32Array.from({ length: 35 }, (_, p) => 10 * Math.floor(p / 7) + (p % 7)),
};

describe("gridPatches", () => {
  it("lays patches side by side, row by row, and leaves the rest", () => {
    expect([...gridPatches(image, 2)]).toEqual(
      [0, 2, 4, 20, 22, 24].flatMap((corner) => [corner, corner + 1, corner + 10, corner + 11]),
    );
  });

  it("lets them overlap, or leaves gaps", () => {
    const corners = (size: number, stride: number): number[] =>
      [...gridPatches(image, size, stride)].filter((_, k) => k % (size * size) === 0);
    expect(corners(3, 2)).toEqual([0, 2, 4, 20, 22, 24]);
    expect(corners(1, 4)).toEqual([0, 4, 40, 44]);
    expect(corners(5, 1)).toEqual([0, 1, 2]);
  });

  it("gives as many as gridPatchCount says", () => {
    for (const [size, stride] of [
      [1, 1],
      [2, 3],
      [3, 2],
      [5, 9],
    ]) {
      const patches = gridPatches(image, size, stride);
      expect(patches).toHaveLength(gridPatchCount(image, size, stride) * size * size);
    }
    expect(gridPatchCount(image, 2)).toBe(6);
  });

  it("refuses sides and strides that make no sense, and an image without room", () => {
    expect(() => gridPatches(image, 0)).toThrow(
      "Expected size to be a positive integer but received 0.",
    );
    expect(() => gridPatches(image, 2, 1.5)).toThrow(
      "Expected stride to be a positive integer but received 1.5.",
    );
    expect(() => gridPatches(image, 6)).toThrow(
      'Expected the image to be at least 6×6 pixels but received "7×5".',
    );
  });
});
