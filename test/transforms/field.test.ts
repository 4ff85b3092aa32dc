import { describe, expect, test } from "vitest";
import { fieldToImage, imageToField } from "../../src/transforms/field.js";
import { expectSameBits } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";

/** Six columns, four rows: the pixel in row r, column c is 10 r + c. */
const pixels = Float64Array.from({ length: 24 }, (_, k) => 10 * Math.floor(k / 6) + (k % 6));
const image = { width: 6, height: 4, pixels };

describe("a field of blocks", () => {
  test("holds blocks and their pixels row by row", () => {
    const { width, height, maps, values } = imageToField(image, 2);
    expect([width, height, maps]).toEqual([3, 2, 4]);
    expect([...values.subarray(0, 8)]).toEqual([0, 1, 10, 11, 2, 3, 12, 13]);
    expect([...values.subarray(16, 20)]).toEqual([22, 23, 32, 33]);
  });

  test.each([1, 2])("of stride %i is undone, in the image's precision", (stride) => {
    for (const kind of [Float32Array, Float64Array]) {
      const given = { ...image, pixels: kind.from(pixels) };
      const back = fieldToImage(imageToField(given, stride));
      expect([back.width, back.height]).toEqual([6, 4]);
      expect(back.pixels).toBeInstanceOf(kind);
      expectSameBits(back.pixels, given.pixels);
    }
  });

  test("requires whole blocks, a square number of maps and finite values", () => {
    expect(() => imageToField(image, 4)).toThrow(
      refusal("the width of the image", "be a multiple of the stride, 4", 6),
    );
    expect(() => imageToField({ ...image, width: 4, height: 6 }, 4)).toThrow("the height");
    expectError(() => imageToField(image, 0), { code: "invalid-argument", argument: "the stride" });
    expect(() => imageToField({ ...image, pixels: pixels.map(() => NaN) }, 2)).toThrow("finite");
    const field = imageToField(image, 2);
    expect(() => fieldToImage({ ...field, maps: 3, width: 4 })).toThrow(
      refusal("the maps of the field", "be a square", 3),
    );
    expect(() => fieldToImage({ ...field, width: 2 })).toThrow(
      refusal("the field", "hold 16 values (2×2×4)", 24),
    );
  });
});
