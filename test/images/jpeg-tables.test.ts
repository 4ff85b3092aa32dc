import { describe, expect, test } from "vitest";
import { isJpegTurned, jpegBlocksFrom, jpegBlocksOf } from "../../src/images/jpeg-tables.js";

/** The beginning of a JPEG file: segments by their markers, then the scan. */
function jpeg(...segments: readonly (readonly [marker: number, ...data: number[]])[]): Uint8Array {
  const bytes = segments.flatMap(([marker, ...data]) => {
    const length = data.length + 2;
    return [0xff, marker, length >> 8, length & 255, ...data];
  });
  return Uint8Array.from([0xff, 0xd8, ...bytes, 0xff, 0xda, 0, 2]);
}

const rising = Array.from({ length: 64 }, (_, k) => k + 1);
const other = [1, ...rising.map((step) => step + 100)];

describe("jpegBlocksOf", () => {
  test("reads the table of brightness, row by row", () => {
    const steps = jpegBlocksOf(jpeg([0xe0, 1, 2], [0xdb, ...other, 0, ...rising]))?.steps ?? [];
    // The zigzag: right, down to the left, down, up to the right …
    expect([0, 1, 8, 16, 9, 2, 3].map((place) => steps[place])).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect([55, 62, 63].map((place) => steps[place])).toEqual([62, 63, 64]);
  });

  test("reads steps of 16 bits", () => {
    const wide = rising.flatMap((step) => [1, step]);
    expect(jpegBlocksOf(jpeg([0xdb, 0x10, ...wide]))?.steps[63]).toBe(256 + 64);
  });

  test("is undefined for other and for truncated files", () => {
    expect(jpegBlocksOf(Uint8Array.of(0x89, 0x50, 0x4e, 0x47))).toBeUndefined();
    expect(jpegBlocksOf(new Uint8Array(0))).toBeUndefined();
    expect(jpegBlocksOf(jpeg([0xdb, 0, ...rising]).subarray(0, 40))).toBeUndefined();
  });
});

describe("jpegBlocksFrom", () => {
  test("finds the first whole block of a part", () => {
    const blocks = { steps: rising, left: 0, top: 0 };
    expect(jpegBlocksFrom(blocks, 3, 16)).toEqual({ steps: rising, left: 5, top: 0 });
    expect(jpegBlocksFrom({ ...blocks, left: 5 }, 12, 1)).toMatchObject({ left: 1, top: 7 });
  });
});

describe("isJpegTurned", () => {
  const exif = (orientation: number): Uint8Array => {
    const head = [...Buffer.from("Exif\0\0II*\0", "latin1")];
    const entry = [0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0];
    return jpeg([0xe1, ...head, 8, 0, 0, 0, 1, 0, ...entry]);
  };

  test("follows the EXIF orientation", () => {
    expect(isJpegTurned(exif(1))).toBe(false);
    expect(isJpegTurned(exif(6))).toBe(true);
    expect(isJpegTurned(jpeg([0xe0, 1]))).toBe(false);
  });
});
