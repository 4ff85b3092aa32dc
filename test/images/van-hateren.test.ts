import { describe, expect, test } from "vitest";
import { decodeVanHateren } from "../../src/images/van-hateren.js";
import { expectClose } from "../support/expect-close.js";

/** A file whose pixel in a row and a column has the value of `at`. */
function imlBytes(at: (row: number, column: number) => number): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * 1536 * 1024));
  for (let row = 0; row < 1024; row++) {
    for (let column = 0; column < 1536; column++) {
      view.setUint16(2 * (row * 1536 + column), at(row, column), false);
    }
  }
  return new Uint8Array(view.buffer);
}

describe("decodeVanHateren", () => {
  test("reads big-endian rows and leaves two pixels out at every border", () => {
    const image = decodeVanHateren(imlBytes((row, column) => 20 * row + column));
    const { width, height, pixels } = image;
    expect([width, height, pixels.length]).toEqual([1532, 1020, 1532 * 1020]);
    expect([...pixels.subarray(0, 3)]).toEqual([42, 43, 44]);
    expect(pixels[1532]).toBe(62);
    expect(pixels.at(-1)).toBe(20 * 1021 + 1533);
  });

  test("says how large values are, and how large they could be", () => {
    const image = decodeVanHateren(
      imlBytes((row, column) => (row === 7 && column === 9 ? 19306 : 26)),
    );
    expect([image.largest, image.largestPossible]).toEqual([19306, 65535]);
  });

  test("does not take the border for the largest value", () => {
    const image = decodeVanHateren(
      imlBytes((row, column) => (row < 2 || column > 1533 ? 60000 : 5)),
    );
    expect(image.largest).toBe(5);
  });

  test("reads a part of a larger buffer", () => {
    const bytes = imlBytes((row, column) => (row + column) % 65536);
    const within = new Uint8Array(bytes.length + 3);
    within.set(bytes, 3);
    expectClose(decodeVanHateren(within.subarray(3)).pixels, decodeVanHateren(bytes).pixels);
  });

  test.each([0, 2 * 1536 * 1024 - 1, 2 * 1536 * 1024 + 2])("refuses %i bytes", (length) => {
    const bytes = new Uint8Array(length);
    const rule = "to have 3145728 bytes (1536×1024 pixels of 16 bits)";
    expect(() => decodeVanHateren(bytes)).toThrow(
      `Expected the .iml file ${rule} but received ${length}.`,
    );
    expect(() => decodeVanHateren(bytes, "imk00031.iml")).toThrow(`Expected imk00031.iml ${rule}`);
  });
});
