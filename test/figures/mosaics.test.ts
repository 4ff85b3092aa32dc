import { describe, expect, test } from "vitest";
import {
  asDisplayed,
  matrixImage,
  matrixInOrder,
  patchMosaic,
  rowsInOrder,
  sideBySide,
} from "../../src/figures/mosaics.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { refusal } from "../support/expect-error.js";

describe("patchMosaic", () => {
  const patches = [1, -1, 0, 0.5, 4, 0, 0, -2, 0, 0, 0, 0];

  test("places 2×2 patches in columns with white lines around them", () => {
    const { width, height, pixels } = patchMosaic(patches, { size: 2, columns: 2 });
    expect([width, height]).toEqual([7, 7]);
    const rows = Array.from({ length: 7 }, (_, r) => [...pixels.subarray(7 * r, 7 * (r + 1))]);
    const line = Array(7).fill(1);
    expect(rows[0]).toEqual(line);
    expect(rows[1]).toEqual([1, 1, 0, 1, 1, 0.5, 1]);
    expect(rows[2]).toEqual([1, 0.5, 0.75, 1, 0.5, 0.25, 1]);
    expect(rows[3]).toEqual(line);
    // A patch of zeros is mid grey, not a division by 0; where no patch is left, there is nothing
    // but white.
    expect(rows[4]).toEqual([1, 0.5, 0.5, 1, 1, 1, 1]);
    expect(rows[6]).toEqual(line);
  });

  test("draws lines of another grey on request", () => {
    const { pixels } = patchMosaic([1, 1], { size: 1, columns: 2, black: 0, white: 1, lines: 0.5 });
    expect([...pixels.subarray(5, 10)]).toEqual([0.5, 1, 0.5, 1, 0.5]);
  });

  test("uses one range for all patches on request, and zooms", () => {
    const { width, pixels } = patchMosaic(patches, { size: 2, columns: 3, zoom: 2, scale: "all" });
    expect(width).toBe(16);
    expect([...pixels.subarray(17, 20)]).toEqual([0.625, 0.625, 0.375]);
  });

  test("shows the given values as black and white, whatever the scale", () => {
    for (const scale of ["each", "all"] as const) {
      const options = { size: 2, columns: 3, scale, black: 0, white: 2 };
      const { width, pixels } = patchMosaic(patches, options);
      expect([...pixels.subarray(width + 1, width + 6)]).toEqual([0.5, -0.5, 1, 2, 0]);
    }
    const negative = patchMosaic([0, 1], { size: 1, columns: 2, black: 1, white: 0 });
    expect([negative.pixels[6], negative.pixels[8]]).toEqual([1, -0]);
  });

  test("does not half obey: black without white changes nothing", () => {
    const plain = patchMosaic(patches, { size: 2, columns: 3 });
    expect(patchMosaic(patches, { size: 2, columns: 3, black: 0 })).toEqual(plain);
  });

  test.each([
    [[1, 2, 3], { size: 2, columns: 1 }, "patches to hold a whole number of patches of 4 values"],
    [[], { size: 2, columns: 1 }, "patches"],
    [patches, { size: 0, columns: 1 }, "size to be a positive integer but received 0"],
    [patches, { size: 2, columns: 1.5 }, "columns to be a positive integer but received 1.5"],
    [patches, { size: 2, columns: 1, zoom: NaN }, "zoom to be a positive integer but received NaN"],
  ])("%j with %j is refused", (values, options, what) => {
    expect(() => patchMosaic(values, options)).toThrow(what);
  });
});

const black = (width: number, height: number) => ({
  width,
  height,
  pixels: new Float32Array(width * height),
});

describe("sideBySide", () => {
  test("aligns tops, from left to right, on white", () => {
    const grey = { ...black(2, 1), pixels: Float32Array.of(0.25, 0.5) };
    const { width, height, pixels } = sideBySide([grey, black(1, 3)], 1);
    expect([width, height]).toEqual([4, 3]);
    expect([...pixels]).toEqual([0.25, 0.5, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]);
  });

  test("leaves a gap of 8 pixels, and none at the ends", () => {
    expect(sideBySide([black(2, 1), black(3, 1), black(1, 1)]).width).toBe(2 + 8 + 3 + 8 + 1);
    expect(sideBySide([black(5, 2)])).toEqual(black(5, 2));
  });
});

describe("rows and matrices in an order", () => {
  test("are moved, a matrix by rows and columns", () => {
    const order = [1, 2, 0];
    expect([...rowsInOrder(Float32Array.of(1, -1, 2, -2, 3, -3), order, 2)]).toEqual([
      2, -2, 3, -3, 1, -1,
    ]);
    const matrix = Float64Array.from({ length: 9 }, (_, k) => k);
    expect([...matrixInOrder(matrix, order)]).toEqual([4, 5, 3, 7, 8, 6, 1, 2, 0]);
  });
});

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
    expect(() => matrixImage([1, 2, 3], 2)).toThrow(refusal("the matrix", "hold 4 values", 3));
  });
});

describe("patches on a screen", () => {
  test("show linear light through the sRGB curve, and nothing beyond black and white", () => {
    expectClose(asDisplayed(Float32Array.of(-1, 0, 0.2140411, 1, 7)), [0, 0, 0.5, 1, 1], {
      absolute: 4 * float32Epsilon,
    });
  });
});
