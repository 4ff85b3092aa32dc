import { mkdir } from "node:fs/promises";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { srgbToLinear } from "../../src/images/luminance.js";
import { expectError, refusal, sentenceOf } from "../support/expect-error.js";
import { fileFolder } from "../support/folders.js";
import { pngBytes, tiffBytes } from "../support/picture-bytes.js";

const files = await fileFolder();
const put = (bytes: Uint8Array | string, ending = ".png") => files.put(bytes, ending);

const size = { width: 7, height: 5 } as const;

describe(".iml", () => {
  test("divides counts by 65535, whatever the luminance", async () => {
    const bytes = new Uint8Array(2 * 1536 * 1024);
    bytes.set([0x4b, 0x6a], 2 * (2 * 1536 + 2));
    const path = await put(bytes, ".IML");
    for (const kind of ["grey", "linear"] as const) {
      const { pixels, ...rest } = await decodeImage(path, kind);
      expect([pixels.length, pixels[0], pixels[1]]).toEqual([
        1532 * 1020,
        Math.fround(0x4b6a / 65535),
        0,
      ]);
      expect(rest).toEqual({
        width: 1532,
        height: 1020,
        depth: 16,
        levels: 65536,
        spacing: "even",
        channels: 1,
        source: path,
      });
    }
  });

  test("rejects another length", async () => {
    const path = await put("abc", ".iml");
    expect(await sentenceOf(decodeImage(path, "linear"))).toBe(
      refusal(path, "have 3145728 bytes (1536×1024 pixels of 16 bits)", 3),
    );
  });
});

describe("decodeImage rejects", () => {
  const noise = { width: 64, height: 64, channels: 3 } as const;
  const samples = Uint8Array.from({ length: 3 * 64 * 64 }, (_, k) => (k * k * 31) % 251);
  const good = sharp(samples, { raw: noise });
  const encoders = {
    ".png": () => good.clone().png().toBuffer(),
    ".jpg": () => good.clone().jpeg().toBuffer(),
    ".webp": () => good.clone().webp().toBuffer(),
    ".tif": () => good.clone().tiff().toBuffer(),
  };

  test.each(Object.entries(encoders))("a truncated %s", async (ending, encode) => {
    const bytes = await encode();
    for (const part of [0.02, 0.5, 0.95]) {
      const path = await put(bytes.subarray(0, Math.floor(part * bytes.length)), ending);
      const formatIsLost = ending === ".tif" && part < 0.95;
      await expectError(decodeImage(path, "linear"), {
        code: "file-damaged",
        phrase: new RegExp(`${path} .*${formatIsLost ? "PNG, JPEG" : "damaged"}`),
      });
    }
  });

  test("a PNG with a wrong byte", async () => {
    const bytes = await encoders[".png"]();
    bytes[bytes.length >> 1] ^= 0x55;
    const path = await put(bytes);
    await expectError(decodeImage(path, "grey"), { code: "file-damaged", phrase: path });
  });

  test("a picture without pixels", async () => {
    const path = await put(pngBytes({ width: 0, height: 5, depth: 8, channels: 1, samples: [] }));
    await expectError(decodeImage(path, "grey"), { code: "file-damaged", phrase: path });
  });

  test("values that are not finite", async () => {
    const samples = Float32Array.of(0, NaN, 1);
    const path = await put(tiffBytes({ width: 3, height: 1, channels: 1, samples }), ".tif");
    expect(await sentenceOf(decodeImage(path, "grey"))).toBe(
      `Cannot read ${path} as a picture: it has values that are not finite.`,
    );
  });

  test("32-bit integers", async () => {
    const samples = Uint32Array.of(0, 1, 70000);
    const path = await put(tiffBytes({ width: 3, height: 1, channels: 1, samples }), ".tif");
    expect(await sentenceOf(decodeImage(path, "grey"))).toEqual(
      expect.stringMatching(`^Cannot read ${path} as a picture: .*uint`),
    );
  });

  test("more than 268 megapixels, before decoding", async () => {
    const claim = { width: 20_000, height: 14_000 };
    const path = await put(pngBytes({ ...size, depth: 8, channels: 1, samples, claim }));
    expect(await sentenceOf(decodeImage(path, "grey"))).toBe(
      `Cannot read ${path} as a picture: it has more than 268 megapixels.`,
    );
  });

  test.each([
    ["", "Cannot read PATH: it is empty."],
    [
      "not a picture",
      "Cannot read PATH as a picture: it has no format that is known (PNG, JPEG, WebP, TIFF …).",
    ],
  ])("%j", async (text, sentence) => {
    const path = await put(text);
    expect(await sentenceOf(decodeImage(path, "grey"))).toBe(sentence.replace("PATH", path));
  });

  test("a missing file, and a folder", async () => {
    const missing = files.fresh(".png");
    expect(await sentenceOf(decodeImage(missing, "grey"))).toBe(
      `Cannot read ${missing}: there is no such file.`,
    );
    const path = files.fresh(".png");
    await mkdir(path);
    expect(await sentenceOf(decodeImage(path, "grey"))).toBe(
      `Cannot read ${path}: it is a folder.`,
    );
  });
});

test("calls may overlap", async () => {
  const pictures = await Promise.all(
    Array.from({ length: 40 }, async (_, k) => {
      const samples = new Uint8Array(35).fill(6 * k);
      const path = await put(pngBytes({ ...size, depth: 8, channels: 1, samples }));
      return { path, wanted: new Float32Array(35).fill(srgbToLinear((6 * k) / 255)) };
    }),
  );
  const decoded = await Promise.all(pictures.map(({ path }) => decodeImage(path, "linear")));
  expect(decoded.map(({ pixels }) => pixels)).toEqual(pictures.map(({ wanted }) => wanted));
  expect(decoded.map(({ source }) => source)).toEqual(pictures.map(({ path }) => path));
});
