import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { encodePng, pngDataUrl } from "../../src/figures/encode-png.js";

describe("encodePng", () => {
  test.each([
    [1, 1],
    [7, 3],
    [300, 2],
  ])("of %i×%i pixels is what another program reads back", async (width, height) => {
    const pixels = Float32Array.from({ length: width * height }, (_, k) => ((k * 37) % 256) / 255);
    const { data, info } = await sharp(encodePng({ width, height, pixels }))
      .toColourspace("b-w")
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([width, height, 1]);
    expect([...data]).toEqual(Array.from(pixels, (value) => Math.round(255 * value)));
  });

  test("clamps values to black and white", async () => {
    const pixels = Float32Array.of(-3, 0.5, 7);
    const drawn = sharp(encodePng({ width: 3, height: 1, pixels }));
    expect([...(await drawn.toColourspace("b-w").raw().toBuffer())]).toEqual([0, 128, 255]);
  });
});

describe("pngDataUrl", () => {
  test("holds the bytes of the file", () => {
    const image = { width: 2, height: 1, pixels: Float32Array.of(0, 1) };
    const [head, base64] = pngDataUrl(image).split(",");
    expect(head).toBe("data:image/png;base64");
    expect(Buffer.from(base64, "base64").equals(encodePng(image))).toBe(true);
  });
});
