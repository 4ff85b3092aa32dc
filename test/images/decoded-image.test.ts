import { describe, expect, test } from "vitest";
import { decodeIml } from "../../src/images/decoded-image.js";
import { expectSameBits } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";

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

describe("decodeIml", () => {
  test("reads big-endian rows without two pixels at every edge, as parts of 65535", () => {
    const image = decodeIml(
      imlBytes((row, column) => 20 * row + column),
      "a.iml",
    );
    const { width, height, pixels } = image;
    expect([width, height, pixels.length]).toEqual([1532, 1020, 1532 * 1020]);
    const places = [0, 1, 2, 1532, pixels.length - 1];
    expectSameBits(
      Float32Array.from(places, (place) => pixels[place]),
      Float32Array.of(42, 43, 44, 62, 20 * 1021 + 1533).map((value) => value / 65535),
    );
    expect(image).toMatchObject({ depth: 16, levels: 65536, spacing: "even", source: "a.iml" });
  });

  test("reads a part of a larger buffer", () => {
    const bytes = imlBytes((row, column) => (row + column) % 65536);
    const within = new Uint8Array(bytes.length + 3);
    within.set(bytes, 3);
    expectSameBits(decodeIml(within.subarray(3), "").pixels, decodeIml(bytes, "").pixels);
  });

  test.each([0, 2 * 1536 * 1024 - 1, 2 * 1536 * 1024 + 2])("rejects %i bytes", (length) => {
    expectError(() => decodeIml(new Uint8Array(length), "imk00031.iml"), {
      code: "invalid-argument",
      argument: "imk00031.iml",
      phrase: `3145728 bytes (1536×1024 pixels of 16 bits) but received ${length}`,
    });
  });
});
