import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { pictureHeader } from "../../browser/picture-header.js";

const colours = sharp({ create: { width: 37, height: 21, channels: 3, background: "#c83" } });
const grey = colours.clone().toColourspace("b-w");
const frame = await colours.clone().png().toBuffer();
const other = await colours.clone().negate().png().toBuffer();
const moving = (): Sharp => sharp([frame, other], { join: { animated: true } });
const size = { width: 37, height: 21 };

describe("pictureHeader", () => {
  test.each([
    ["PNG", colours.clone().png(), { colours: 3, isAnimated: false, bits: 8 }],
    ["grey PNG", grey.clone().png(), { colours: 1, isAnimated: false }],
    ["PNG of 16 bits", colours.clone().toColourspace("rgb16").png(), { bits: 16 }],
    [
      "JPEG",
      colours
        .clone()
        .withExif({ IFD0: { Artist: "x" } })
        .jpeg(),
      { colours: 3, bits: 8 },
    ],
    ["grey JPEG", grey.clone().jpeg({ progressive: true }), { colours: 1 }],
    ["CMYK", colours.clone().toColourspace("cmyk").jpeg(), { colours: 4 }],
    ["WebP", colours.clone().webp(), { isAnimated: false }],
    ["lossless WebP", colours.clone().webp({ lossless: true }), { isAnimated: false }],
    ["moving WebP", moving().webp(), { isAnimated: true }],
    ["GIF", colours.clone().gif(), { isAnimated: false }],
    ["moving GIF", moving().gif(), { isAnimated: true }],
  ])("reads %s, and accepts every truncation", async (_, picture, rest) => {
    const bytes = new Uint8Array(await picture.toBuffer());
    expect(pictureHeader(bytes)).toMatchObject({ ...size, ...rest });
    // Must not throw.
    for (let length = 0; length < bytes.length; length++) pictureHeader(bytes.subarray(0, length));
  });

  test("returns undefined for other formats", () => {
    expect(pictureHeader(new TextEncoder().encode("<svg/>"))).toBeUndefined();
  });
});
