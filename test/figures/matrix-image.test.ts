import { describe, expect, test } from "vitest";
import { matrixImage } from "../../src/figures/matrix-image.js";

describe("matrixImage", () => {
  test("0 is white, the largest black, a quarter of it half way, row by row", () => {
    const { width, height, pixels } = matrixImage([0, 4, 1, 0], 2);
    expect([width, height]).toEqual([2, 2]);
    expect([...pixels]).toEqual([1, 0, 0.5, 1]);
  });

  test("an entry becomes zoom×zoom pixels", () => {
    const { width, height, pixels } = matrixImage([0, 4, 1, 0], 2, 2);
    expect([width, height]).toEqual([4, 4]);
    expect([...pixels]).toEqual([1, 1, 0, 0, 1, 1, 0, 0, 0.5, 0.5, 1, 1, 0.5, 0.5, 1, 1]);
  });

  test("zeros alone are white", () => {
    expect([...matrixImage(new Float64Array(4), 2).pixels]).toEqual([1, 1, 1, 1]);
  });

  test("a matrix must be square", () => {
    expect(() => matrixImage([1, 2, 3], 2)).toThrow(
      "Expected the matrix to hold 4 values but received 3.",
    );
  });
});
