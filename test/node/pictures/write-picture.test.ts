import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../../node/decode-image.js";
import type { BitDepth, Picture } from "../../../node/pictures/picture.js";
import { readPicture } from "../../../node/pictures/read-picture.js";
import { pictureFormatOf, writePicture } from "../../../node/pictures/write-picture.js";
import { UsageError } from "../../../src/errors.js";
import { pngChunk } from "../../../src/figures/encode-png.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError, refusal, sentenceOf } from "../../support/expect-error.js";
import { fileFolder } from "../../support/folders.js";
import { pngBytes } from "../../support/picture-bytes.js";

const { put, fresh } = await fileFolder();

/** Every code in the first channel, random ones in the others; floats go beyond 0 and 1. */
function picture(bitDepth: BitDepth, colours: 1 | 3, hasAlpha: boolean): Picture {
  const side = bitDepth === 16 ? 256 : 16;
  const largest = bitDepth === "float" ? 1 : 2 ** bitDepth - 1;
  const random = createRandom(colours, "codes");
  const value = (): number =>
    bitDepth === "float"
      ? 3 * random.normal()
      : Math.floor(random.uniform() * (largest + 1)) / largest;
  const plane = (): Float32Array => Float32Array.from({ length: side * side }, value);
  const channels = Array.from({ length: colours }, plane);
  if (bitDepth !== "float") channels[0].forEach((_, k) => (channels[0][k] = k / largest));
  return {
    width: side,
    height: side,
    channels,
    alpha: hasAlpha ? plane() : null,
    bitDepth,
    format: "png",
    isLossy: false,
    metadata: {},
    source: "made here",
  };
}

async function writtenAndRead(ending: string, content: Picture) {
  const path = fresh(ending);
  const written = await writePicture(path, content);
  return { written, back: await readPicture(path), path };
}

const contents = ([8, 16, "float"] as const).flatMap((bitDepth) =>
  ([1, 3] as const).flatMap((colours) =>
    [false, true].map((hasAlpha) => ({ bitDepth, colours, hasAlpha })),
  ),
);

describe("round trips, bit for bit", () => {
  const cases = [".png", ".tif", ".webp"].flatMap((ending) =>
    contents
      .filter(({ bitDepth }) => ending === ".tif" || bitDepth !== "float")
      .filter(({ bitDepth, colours }) => ending !== ".webp" || (bitDepth === 8 && colours === 3))
      .map((content) => ({ ending, ...content })),
  );
  test.each(cases)(
    "$ending of depth $bitDepth, $colours colours, alpha $hasAlpha",
    async ({ ending, bitDepth, colours, hasAlpha }) => {
      const content = picture(bitDepth, colours, hasAlpha);
      const { written, back } = await writtenAndRead(ending, content);
      const format = pictureFormatOf(ending.replace(".", "x."));
      expect(written).toEqual({ format, bitDepth, notKept: [] });
      expect([back.bitDepth, back.width, back.height]).toEqual([
        bitDepth,
        ...Array<number>(2).fill(content.width),
      ]);
      expect(back.channels).toEqual(content.channels);
      expect(back.alpha).toEqual(content.alpha);
      expect(back.isLossy).toBe(false);
    },
  );

  test("a TIFF of many strips whose rows do not divide evenly", async () => {
    const [width, height] = [211, 997];
    const channels = [createRandom(1, "strips").normalFill(new Float32Array(width * height))];
    const content: Picture = { ...picture("float", 1, false), width, height, channels };
    expect((await writtenAndRead(".tiff", content)).back.channels).toEqual(channels);
  });
});

describe("lossy formats", () => {
  const smooth = Array.from({ length: 3 }, (_, c) =>
    Float32Array.from({ length: 64 * 64 }, (_, k) => 0.5 + 0.4 * Math.sin((k % 64) / 9 + c)),
  );
  const content: Picture = {
    ...picture(8, 3, false),
    width: 64,
    height: 64,
    channels: smooth,
    isLossy: true,
  };

  test.each([".jpg", ".webp"])("%s comes close", async (ending) => {
    const { written, back } = await writtenAndRead(ending, content);
    expect(written.notKept).toEqual([]);
    expect(back.isLossy).toBe(true);
    back.channels.forEach((channel, c) => {
      expectClose(channel, smooth[c], { absolute: ending === ".jpg" ? 4 / 255 : 8 / 255 });
    });
  });

  test("a JPEG keeps full colour resolution, and grey is one channel", async () => {
    const { path } = await writtenAndRead(".jpeg", content);
    expect((await sharp(path).metadata()).chromaSubsampling).toBe("4:4:4");
    const grey = await writtenAndRead(".jpg", { ...content, channels: smooth.slice(0, 1) });
    expect(grey.back.channels.length).toBe(1);
  });

  test("a lossy WebP keeps alpha exactly, and colours where it is 0", async () => {
    const alpha = Float32Array.from({ length: 64 * 64 }, (_, k) => (k % 256) / 255);
    const { back } = await writtenAndRead(".webp", { ...content, alpha });
    expect(back.alpha).toEqual(alpha);
    expectClose(back.channels[1][256], smooth[1][256], { absolute: 8 / 255 });
  });
});

describe("reports what a format cannot hold", () => {
  const cases = [
    [".jpg", 16, 1, true, ["16 bits (8 instead)", "alpha"], 8],
    [".webp", 16, 1, true, ["16 bits (8 instead)", "grey as one channel (three instead)"], 8],
    [
      ".png",
      "float",
      3,
      false,
      ["floating point (16 bits instead)", "values below 0 or above 1"],
      16,
    ],
  ] as const;
  test.each(cases)(
    "%s of depth %s",
    async (ending, bitDepth, colours, hasAlpha, notKept, wanted) => {
      const { written, back } = await writtenAndRead(ending, picture(bitDepth, colours, hasAlpha));
      expect(written).toMatchObject({ notKept, bitDepth: wanted });
      expect(back.bitDepth).toBe(wanted);
    },
  );

  test("codes are clipped and rounded to the nearest", async () => {
    const content: Picture = {
      ...picture(8, 1, false),
      width: 4,
      height: 1,
      channels: [Float32Array.of(-0.1, 1.2, 99.4 / 255, 99.6 / 255)],
    };
    const { back } = await writtenAndRead(".png", content);
    expect(back.channels[0]).toEqual(Float32Array.of(0, 1, 99 / 255, 100 / 255));
  });
});

describe("metadata", async () => {
  const xmp = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";
  const full = sharp({ create: { width: 20, height: 10, channels: 3, background: "#804020" } })
    .withMetadata({ orientation: 6, density: 144 })
    .withExifMerge({ IFD0: { Copyright: "somebody" } })
    .withXmp(xmp)
    .withIccProfile("p3");
  const original = await readPicture(await put(await full.clone().jpeg().toBuffer(), ".jpg"));

  test.each([".jpg", ".png", ".webp"])("%s keeps all, byte for byte", async (ending) => {
    const { written, back } = await writtenAndRead(ending, original);
    expect(written.notKept).toEqual([]);
    const { icc, exif, orientation } = original.metadata;
    expect(back.metadata).toMatchObject({ icc, exif, orientation });
    expect(Buffer.from(back.metadata.xmp!).toString()).toBe(xmp);
    if (ending !== ".webp") expect(back.metadata.density).toBe(144);
  });

  test("TIFF keeps all but EXIF, and its orientation goes into other formats", async () => {
    const { written, back } = await writtenAndRead(".tif", original);
    expect(written.notKept).toEqual(["EXIF"]);
    const { icc, xmp: text, orientation, density } = original.metadata;
    expect(back.metadata).toEqual({ icc, xmp: text, orientation, density });
    for (const ending of [".png", ".jpg", ".webp", ".tiff"]) {
      expect((await writtenAndRead(ending, back)).back.metadata).toMatchObject({ orientation: 6 });
    }
  });

  test("EXIF of a TIFF, which cannot be read, is reported", async () => {
    const { path } = await writtenAndRead(".tif", picture(8, 1, false));
    const bytes = await readFile(path);
    // The last entry, the sample format, becomes a pointer to EXIF: readers then assume integers.
    const at = bytes.indexOf(Buffer.from([339 & 255, 339 >> 8, 3, 0]), bytes.readUInt32LE(4));
    bytes.writeUInt16LE(34665, at);
    const content = await readPicture(await put(bytes, ".tif"));
    expect(content.metadata.unread).toEqual(["EXIF"]);
    const { written } = await writtenAndRead(".tif", content);
    expect(written.notKept).toEqual(["EXIF"]);
  });

  test("IPTC stays in the kind of file it came from", async () => {
    const block = Buffer.from(
      "Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x08\x1c\x02\x78\0\x03abc",
      "latin1",
    );
    const records = Buffer.from("\x1c\x02\x78\0\x03abc", "latin1");
    for (const [iptc, own, other] of [
      [block, ".jpg", ".tif"],
      [records, ".tif", ".jpg"],
    ] as const) {
      const content = { ...original, metadata: { iptc } };
      expect((await writtenAndRead(own, content)).back.metadata.iptc).toEqual(iptc);
      expect((await writtenAndRead(other, content)).written.notKept).toEqual(["IPTC"]);
    }
  });

  test("a profile of grey is not written to a WebP", async () => {
    const icc = Buffer.from(original.metadata.icc!);
    icc.write("GRAY", 16, "latin1");
    const content: Picture = { ...picture(8, 1, false), metadata: { icc } };
    const { written, back } = await writtenAndRead(".webp", content);
    expect(written.notKept).toContain("profile of grey");
    expect(back.metadata).toEqual({});
    expect((await writtenAndRead(".tif", content)).back.metadata.icc).toEqual(icc);
  });

  test("a profile may be longer than a segment of a JPEG", async () => {
    const icc = Buffer.from(Array.from({ length: 150_000 }, (_, k) => (k * k) % 251));
    icc.set(original.metadata.icc!);
    icc.writeUInt32BE(icc.length, 0); // libpng refuses a profile that gives another length
    const content = { ...original, metadata: { icc } };
    for (const ending of [".jpg", ".png", ".webp", ".tif"]) {
      const { back } = await writtenAndRead(ending, content);
      expect(back.metadata.icc && Buffer.from(back.metadata.icc).equals(icc)).toBe(true);
    }
  });

  test("gamma, density and texts of a PNG go into another PNG, and are reported elsewhere", async () => {
    const bytes = pngBytes({ width: 2, height: 1, depth: 8, channels: 1, samples: [3, 4] });
    const chunks = [
      pngChunk("gAMA", Uint8Array.of(0, 1, 0x86, 0xa0)),
      pngChunk("pHYs", Uint8Array.of(0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x12, 1)),
      pngChunk("tEXt", Buffer.from("Author\0somebody", "latin1")),
    ];
    const path = await put(
      Buffer.concat([bytes.subarray(0, 33), ...chunks, bytes.subarray(33)]),
      ".png",
    );
    const content = await readPicture(path);
    const { back, path: copy } = await writtenAndRead(".png", content);
    expect(back.metadata).toEqual(content.metadata);
    const written = await readFile(copy);
    expect(chunks.every((chunk) => written.includes(Buffer.from(chunk)))).toBe(true);
    const { written: other } = await writtenAndRead(".tif", content);
    expect(other.notKept).toEqual(["PNG chunks (gAMA, tEXt)"]);
  });

  test("XMP that is too long for JPEG is reported", async () => {
    const long = Buffer.from(`<x>${"y".repeat(70_000)}</x>`);
    const content = { ...original, metadata: { xmp: long } };
    expect((await writtenAndRead(".jpg", content)).written.notKept).toEqual(["XMP"]);
    expect((await writtenAndRead(".png", content)).written.notKept).toEqual([]);
  });
});

describe("writePicture rejects", () => {
  const content = picture(8, 1, false);

  test("an unknown ending, before anything is written", async () => {
    const path = fresh(".bmp");
    const error = await writePicture(path, content).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(
      `Cannot write ${path}: expected a name that ends in one of .png, .jpg, .jpeg, .webp, .tif, .tiff but received ".bmp".`,
    );
    expect(() => pictureFormatOf("picture")).toThrow("received no ending.");
  });

  test("values that are not finite, and channels that do not fit", async () => {
    const write = (changes: Partial<Picture>) =>
      sentenceOf(writePicture(fresh(".png"), { ...content, ...changes }));
    const [channel] = content.channels;
    expect(await write({ channels: [channel.with(7, NaN)] })).toBe(
      refusal("channels[0][7]", "be finite", NaN),
    );
    expect(await write({ channels: [channel, channel] })).toBe(
      refusal("channels", "be one (grey) or three (red, green, blue)", 2),
    );
    expect(await write({ alpha: new Float32Array(3) })).toBe(
      refusal("alpha", "hold 256 values (16×16)", 3),
    );
  });

  test("swapped arguments, and what is not a picture", async () => {
    const wrong = content as unknown as string;
    const swapped = writePicture(wrong, fresh(".png") as unknown as Picture);
    await expectError(swapped, {
      code: "invalid-argument",
      argument: "path",
      phrase: 'writePicture("copy.png", picture)',
    });
    await expectError(readPicture(wrong), { code: "invalid-argument", argument: "path" });
    await expectError(decodeImage(wrong, "grey"), { code: "invalid-argument", argument: "path" });
    const image = { width: 1, height: 1, pixels: new Float32Array(1) } as unknown as Picture;
    const wanted = { code: "invalid-argument", argument: "the picture" } as const;
    await expectError(writePicture(fresh(".png"), image), wanted);
  });

  test("a picture too wide for the format, and a bad quality", async () => {
    const wide = { ...content, width: 20_000, height: 1, channels: [new Float32Array(20_000)] };
    const path = fresh(".webp");
    expect(await sentenceOf(writePicture(path, wide))).toBe(
      `Cannot write ${path}: a webp file has at most 16383 pixels a side; received 20000.`,
    );
    expect(await sentenceOf(writePicture(fresh(".jpg"), content, { quality: 0 }))).toBe(
      refusal("quality", "be an integer from 1 to 100", 0),
    );
  });
});
