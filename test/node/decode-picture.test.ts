import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { decodePicture } from "../../node/decode-picture.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { luminanceOf, srgbToLinear } from "../../src/images/luminance.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { type PngContent, pngBytes, tiffBytes } from "../support/picture-bytes.js";

function codes(count: number, largest: number): number[] {
  const random = createRandom(5, "codes");
  return Array.from({ length: count }, () => Math.floor(random.uniform() * (largest + 1)));
}

/** Expected pixels: luminanceOf the first channels of the samples. */
function luminances(
  kind: "grey" | "linear",
  samples: ArrayLike<number>,
  stride: number,
  largest: number,
) {
  return Float32Array.from({ length: samples.length / stride }, (_, k) => {
    const at = (channel: number): number =>
      samples[k * stride + (stride < 3 ? 0 : channel)] / largest;
    return luminanceOf(kind, at(0), at(1), at(2));
  });
}

const size = { width: 7, height: 5 } as const;

describe("PNG, bit for bit", () => {
  const cases = ([8, 16] as const).flatMap((depth) =>
    ([1, 2, 3, 4] as const).map((channels) => ({ depth, channels })),
  );
  test.each(cases)("$depth bits, $channels channels", async ({ depth, channels }) => {
    const largest = 2 ** depth - 1;
    const samples = codes(35 * channels, largest);
    const bytes = pngBytes({ ...size, depth, channels, samples });
    for (const kind of ["grey", "linear"] as const) {
      expect(await decodePicture(bytes, kind)).toEqual({
        ...size,
        pixels: luminances(kind, samples, channels, largest),
        depth,
        levels: largest + 1,
        spacing: kind === "grey" ? "even" : "srgb",
        channels: channels < 3 ? 1 : 3,
      });
    }
  });

  test.each([1, 2, 4] as const)("%i bits: levels from black to white", async (depth) => {
    const largest = 2 ** depth - 1;
    const samples = codes(35, largest);
    const bytes = pngBytes({ ...size, depth, channels: 1, samples });
    const decoded = await decodePicture(bytes, "grey");
    expect([decoded.depth, decoded.levels]).toEqual([8, largest + 1]);
    expect(decoded.pixels).toEqual(luminances("grey", samples, 1, largest));
  });

  test("a palette has 256 levels, however few its colours", async () => {
    const bytes = await sharp({ create: { ...size, channels: 3, background: "#804020" } })
      .png({ palette: true, colours: 2 })
      .toBuffer();
    const { levels, pixels } = await decodePicture(bytes, "grey");
    expect(levels).toBe(256);
    expectClose(pixels[0], luminanceOf("grey", 128 / 255, 64 / 255, 32 / 255), { absolute: 1e-7 });
  });
});

describe("colour profiles", async () => {
  const profileOf = async (name: string): Promise<Buffer> => {
    const image = sharp({ create: { ...size, channels: 3, background: "red" } });
    const { icc } = await sharp(await image.withIccProfile(name).png().toBuffer()).metadata();
    return icc!;
  };
  /** The profile that most sRGB files carry. */
  const { icc: srgb } = await sharp(embeddedPhotographs()[0].path).metadata();
  const depths = [8, 16] as const;

  test.each(depths)("sRGB leaves %i bits unchanged", async (depth) => {
    const largest = 2 ** depth - 1;
    const samples = codes(3 * 35, largest);
    const content: PngContent = { ...size, depth, channels: 3, samples };
    const bytes = pngBytes({ ...content, iccProfile: srgb! });
    const { pixels } = await decodePicture(bytes, "linear");
    expect(pixels).toEqual(luminances("linear", samples, 3, largest));
  });

  test.each(depths)("Display P3 becomes sRGB, %i bits", async (depth) => {
    const largest = 2 ** depth - 1;
    // A red in both spaces. Its weight in P3 is 0.22897, so reading P3 as sRGB is off by 0.009.
    const [red, other] = [Math.round(0.8 * largest), Math.round(0.3 * largest)];
    const samples = Array.from({ length: 3 * 35 }, (_, k) => (k % 3 === 0 ? red : other));
    const content: PngContent = { ...size, depth, channels: 3, samples };
    const bytes = pngBytes({ ...content, iccProfile: await profileOf("p3") });
    const wanted = 0.22897 * srgbToLinear(red / largest) + 0.77103 * srgbToLinear(other / largest);
    // Half a level of 8 bits in each of three colours; 16 bits test the conversion itself.
    const { pixels } = await decodePicture(bytes, "linear");
    expectClose(pixels[17], wanted, { absolute: depth === 8 ? 0.003 : 0.0005 });
  });

  test("CMYK becomes sRGB", async () => {
    const white = sharp({ create: { ...size, channels: 3, background: "white" } });
    const bytes = await white.toColourspace("cmyk").jpeg().toBuffer();
    expect((await sharp(bytes).metadata()).space).toBe("cmyk");
    const { channels, pixels } = await decodePicture(bytes, "grey");
    expect(channels).toBe(3);
    expectClose(pixels[17], 1, { absolute: 0.02 });
  });
});

describe("TIFF", () => {
  const cases = ([1, 3] as const).flatMap((channels) =>
    ([8, 16] as const).map((depth) => ({ depth, channels })),
  );
  test.each(cases)("$depth bits, $channels channels", async ({ depth, channels }) => {
    const largest = 2 ** depth - 1;
    const values = codes(35 * channels, largest);
    const samples = depth === 8 ? Uint8Array.from(values) : Uint16Array.from(values);
    const bytes = tiffBytes({ ...size, channels, samples });
    const decoded = await decodePicture(bytes, "linear");
    expect(decoded.pixels).toEqual(luminances("linear", samples, channels, largest));
    expect([decoded.depth, decoded.levels, decoded.channels]).toEqual([
      depth,
      largest + 1,
      channels,
    ]);
  });

  test("floating point is unchanged, also beyond 0 and 1", async () => {
    const samples = Float32Array.of(0, 0.25, -1, 300.5, 1e-20, 1);
    const bytes = tiffBytes({ width: 3, height: 2, channels: 1, samples });
    const decoded = await decodePicture(bytes, "linear");
    expect(decoded.pixels).toEqual(samples);
    expect([decoded.depth, decoded.levels, decoded.spacing]).toEqual([32, Infinity, "none"]);
    const colour = tiffBytes({ width: 2, height: 1, channels: 3, samples });
    expect((await decodePicture(colour, "linear")).pixels).toEqual(
      Float32Array.of(0.7152 * 0.25 - 0.0722, 0.2126 * 300.5 + 0.7152 * samples[4] + 0.0722),
    );
  });
});

describe("JPEG and WebP", () => {
  const raw = { width: 16, height: 16, channels: 3 } as const;
  const colours = Uint8Array.from({ length: 3 * 256 }, (_, k) => [200, 120, 40][k % 3]);
  const grey = luminanceOf("grey", 200 / 255, 120 / 255, 40 / 255);

  test("a plain JPEG keeps its colour within a level", async () => {
    const bytes = await sharp(colours, { raw }).jpeg({ quality: 100 }).toBuffer();
    const decoded = await decodePicture(bytes, "grey");
    expect([decoded.width, decoded.height, decoded.levels]).toEqual([16, 16, 256]);
    expectClose(decoded.pixels, new Float32Array(256).fill(grey), { absolute: 1 / 255 });
  });

  test("a lossless WebP keeps every value and drops alpha", async () => {
    const samples = codes(3 * 256, 255);
    const image = sharp(Uint8Array.from(samples), { raw });
    for (const picture of [image.clone(), image.clone().ensureAlpha(0.5)]) {
      const bytes = await picture.webp({ lossless: true, exact: true }).toBuffer();
      const { pixels } = await decodePicture(bytes, "linear");
      expect(pixels).toEqual(luminances("linear", samples, 3, 255));
    }
  });

  test("a JPEG is rotated by its orientation", async () => {
    const side = sharp({ create: { width: 24, height: 16, channels: 3, background: "grey" } });
    const bytes = await side.jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { width, height } = await decodePicture(bytes, "grey");
    expect([width, height]).toEqual([16, 24]);
  });
});
