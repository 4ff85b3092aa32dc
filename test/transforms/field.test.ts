import { describe, expect, it } from "vitest";
import { fieldToImage, imageToField } from "../../src/transforms/field.js";
import { expectSameBits } from "../support/expect-close.js";

/** Six columns, four rows: the pixel in row r, column c is 10 r + c. */
const pixels = Float64Array.from({ length: 24 }, (_, k) => 10 * Math.floor(k / 6) + (k % 6));
const image = { width: 6, height: 4, pixels };

describe("a field of blocks", () => {
  it("has the blocks of the image row by row, and their pixels row by row", () => {
    const { width, height, maps, values } = imageToField(image, 2);
    expect([width, height, maps]).toEqual([3, 2, 4]);
    expect([...values.subarray(0, 8)]).toEqual([0, 1, 10, 11, 2, 3, 12, 13]);
    expect([...values.subarray(16, 20)]).toEqual([22, 23, 32, 33]);
  });

  it.each([1, 2])("of stride %i gives the image back, in its precision", (stride) => {
    for (const kind of [Float32Array, Float64Array]) {
      const given = { ...image, pixels: kind.from(pixels) };
      const back = fieldToImage(imageToField(given, stride));
      expect([back.width, back.height]).toEqual([6, 4]);
      expect(back.pixels).toBeInstanceOf(kind);
      expectSameBits(back.pixels, given.pixels);
    }
  });

  it("needs whole blocks, squares of maps and numbers", () => {
    expect(() => imageToField(image, 4)).toThrow(
      "Expected the width of the image to be a multiple of the stride, 4 but received 6.",
    );
    expect(() => imageToField({ ...image, width: 4, height: 6 }, 4)).toThrow("the height");
    expect(() => imageToField(image, 0)).toThrow(
      "Expected the stride to be an integer from 1 to 64",
    );
    expect(() => imageToField({ ...image, pixels: pixels.map(() => NaN) }, 2)).toThrow("finite");
    const field = imageToField(image, 2);
    expect(() => fieldToImage({ ...field, maps: 3, width: 4 })).toThrow(
      "Expected the maps of the field to be a square but received 3.",
    );
    expect(() => fieldToImage({ ...field, width: 2 })).toThrow(
      "Expected the field to hold 16 values (2×2×4) but received 24.",
    );
  });
});
