import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { encodeTiff } from "../../../node/pictures/encode-tiff.js";
import { readPicture } from "../../../node/pictures/read-picture.js";
import { pngChunk } from "../../../src/figures/encode-png.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { fileFolder } from "../../support/folders.js";
import { pngBytes, tiffBytes } from "../../support/picture-bytes.js";
import { expectError, sentenceOf } from "../../support/expect-error.js";

const { put, fresh } = await fileFolder();

/** Every code once in the first channel, random codes in the others. */
function everyCode(depth: 8 | 16, channels: number): number[] {
  const count = 2 ** depth;
  const random = createRandom(channels, "codes");
  return Array.from({ length: count * channels }, (_, k) =>
    k % channels === 0 ? k / channels : Math.floor(random.uniform() * count),
  );
}

const every = (samples: ArrayLike<number>, first: number, stride: number, largest: number) =>
  Float32Array.from({ length: samples.length / stride }, (_, k) => {
    return samples[first + k * stride] / largest;
  });

const shapes = ([8, 16] as const).flatMap((depth) =>
  ([1, 2, 3, 4] as const).map((channels) => ({ depth, channels })),
);
const side = { 8: 16, 16: 256 } as const;

describe("readPicture keeps every code", () => {
  test.each(shapes)("PNG of $depth bits, $channels channels", async ({ depth, channels }) => {
    const largest = 2 ** depth - 1;
    const samples = everyCode(depth, channels);
    const size = { width: side[depth], height: side[depth] };
    const path = await put(pngBytes({ ...size, depth, channels, samples }), ".png");
    const colours = channels < 3 ? 1 : 3;
    const wanted = Array.from({ length: colours }, (_, k) => every(samples, k, channels, largest));
    expect(await readPicture(path)).toEqual({
      ...size,
      channels: wanted,
      alpha: channels % 2 === 0 ? every(samples, channels - 1, channels, largest) : null,
      bitDepth: depth,
      format: "png",
      isLossy: false,
      metadata: {},
      source: path,
    });
  });

  test("a profile is kept and not applied", async () => {
    const red = sharp({ create: { width: 2, height: 2, channels: 3, background: "red" } });
    const bytes = await red.withIccProfile("p3").png().toBuffer();
    const { icc } = await sharp(bytes).metadata();
    for (const depth of [8, 16] as const) {
      const samples = everyCode(depth, 3);
      const size = { width: side[depth], height: side[depth] };
      const content = { ...size, depth, channels: 3, samples, iccProfile: icc! } as const;
      const { channels, metadata } = await readPicture(await put(pngBytes(content), ".png"));
      expect(channels[2]).toEqual(every(samples, 2, 3, 2 ** depth - 1));
      expect(metadata.icc).toEqual(icc);
    }
  });

  test.each([1, 2, 4] as const)("%i bits become 8", async (depth) => {
    const samples = Array.from({ length: 16 }, (_, k) => k % 2 ** depth);
    const path = await put(pngBytes({ width: 4, height: 4, depth, channels: 1, samples }), ".png");
    const { bitDepth, channels } = await readPicture(path);
    expect([bitDepth, channels.length]).toEqual([8, 1]);
    expect(channels[0]).toEqual(every(samples, 0, 1, 2 ** depth - 1));
  });

  test("a palette gives its colours in 8 bits", async () => {
    const background = { r: 128, g: 64, b: 32 };
    const bytes = await sharp({ create: { width: 3, height: 3, channels: 3, background } })
      .png({ palette: true })
      .toBuffer();
    const { bitDepth, channels, alpha } = await readPicture(await put(bytes, ".png"));
    expect([bitDepth, alpha]).toEqual([8, null]);
    expect(channels.map((channel) => Math.round(255 * channel[4]))).toEqual([128, 64, 32]);
  });

  test.each([1, 3] as const)("TIFF of floats, %i channels, beyond 0 and 1", async (count) => {
    const samples = Float32Array.of(0, -1, 300.5, 1e-20, 0.25, 1);
    const width = 6 / count;
    const path = await put(tiffBytes({ width, height: 1, channels: count, samples }), ".tif");
    const { bitDepth, channels, format } = await readPicture(path);
    expect([bitDepth, format]).toEqual(["float", "tiff"]);
    expect(channels).toEqual(Array.from({ length: count }, (_, k) => every(samples, k, count, 1)));
  });

  test("a JPEG is not rotated", async () => {
    const flat = sharp({ create: { width: 24, height: 16, channels: 3, background: "grey" } });
    const bytes = await flat.jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { width, height, metadata, isLossy } = await readPicture(await put(bytes, ".jpg"));
    expect([width, height, metadata.orientation, isLossy]).toEqual([24, 16, 6, true]);
  });

  test("van Hateren's .iml: 16 bits of grey", async () => {
    const bytes = new Uint8Array(2 * 1536 * 1024);
    bytes.set([0x4b, 0x6a], 2 * (2 * 1536 + 2));
    const { channels, ...rest } = await readPicture(await put(bytes, ".iml"));
    expect(channels[0][0]).toBe(Math.fround(0x4b6a / 65535));
    expect(rest).toMatchObject({ width: 1532, bitDepth: 16, format: "iml", alpha: null });
  });
});

describe("readPicture rejects", () => {
  const flat = sharp({ create: { width: 8, height: 8, channels: 3, background: "teal" } });
  const refusal = async (bytes: Uint8Array | string, ending: string): Promise<string> => {
    const path = await put(bytes, ending);
    return (await sentenceOf(readPicture(path))).replace(path, "PATH");
  };

  test("CMYK", async () => {
    const bytes = await flat.clone().toColourspace("cmyk").jpeg().toBuffer();
    expect(await refusal(bytes, ".jpg")).toBe(
      "Cannot read PATH as a picture: its colours are CMYK, not grey or RGB with or without alpha.",
    );
  });

  test.each(["webp", "gif", "tiff"] as const)("several pictures in a %s", async (format) => {
    const [one, two] = [
      await flat.clone().png().toBuffer(),
      await flat.clone().negate().png().toBuffer(),
    ];
    const bytes = await sharp([one, two], { join: { animated: true } })
      .toFormat(format)
      .toBuffer();
    expect(await refusal(bytes, `.${format}`)).toBe(
      "Cannot read PATH as a picture: it holds 2 pictures (pages, or an animation), not one.",
    );
  });

  test("an animated PNG", async () => {
    const bytes = await flat.clone().png().toBuffer();
    const control = pngChunk("acTL", Uint8Array.of(0, 0, 0, 2, 0, 0, 0, 0));
    const animated = Buffer.concat([bytes.subarray(0, 33), control, bytes.subarray(33)]);
    expect(await refusal(animated, ".png")).toBe(
      "Cannot read PATH as a picture: it is an animation, not one picture.",
    );
  });

  test("values that are not finite, with their number", async () => {
    const samples = Float32Array.of(0, NaN, 1, Infinity, -Infinity, 1);
    expect(await refusal(tiffBytes({ width: 6, height: 1, channels: 1, samples }), ".tif")).toBe(
      "Cannot read PATH as a picture: 3 of its 6 values are not finite.",
    );
  });

  test("five channels", async () => {
    const samples = new Uint8Array(5 * 4);
    const bytes = encodeTiff({ width: 2, height: 2, channels: 5, samples, metadata: {} });
    expect(await refusal(bytes, ".tif")).toMatch(
      /^Cannot read PATH as a picture: it has 5 channels \(.*\), not grey or RGB with or without alpha\.$/,
    );
  });

  test("32-bit integers", async () => {
    const samples = Uint32Array.of(0, 1, 70000);
    expect(
      await refusal(tiffBytes({ width: 3, height: 1, channels: 1, samples }), ".tif"),
    ).toContain("samples are of the kind uint");
  });

  test("empty, damaged and missing files, and other content", async () => {
    expect(await refusal("", ".png")).toContain("empty");
    expect(await refusal("text", ".png")).toContain("PNG, JPEG");
    const bytes = await flat.clone().png().toBuffer();
    expect(await refusal(bytes.subarray(0, bytes.length - 20), ".png")).toContain("damaged");
    expect(await refusal("abc", ".iml")).toContain("3145728 bytes");
    await expectError(readPicture(fresh(".png")), { code: "cannot-read" });
  });
});
