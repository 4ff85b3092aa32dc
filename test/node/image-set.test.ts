import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { type SkippedImage, openImageSet } from "../../node/image-set.js";
import { type ImageReading, protocols } from "../../src/patches/image-reading.js";
import { dequantize } from "../../src/preprocessing/dequantize.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectError, refusal, sentenceOf } from "../support/expect-error.js";
import { fileFolder } from "../support/folders.js";
import { pngBytes, tiffBytes } from "../support/picture-bytes.js";

const files = await fileFolder();
const put = (bytes: Uint8Array | string, ending = ".png") => files.put(bytes, ending);

/** Returns a grey picture whose highest code is rare, as in most photographs. */
function picture(width = 40, height = 30, largest = 250): Buffer {
  const samples = Uint8Array.from({ length: width * height }, (_, k) => (k * k * 31) % largest);
  samples[0] = 255;
  return pngBytes({ width, height, depth: 8, channels: 1, samples });
}

const noise = sharp(
  Uint8Array.from({ length: 3 * 64 * 64 }, (_, k) => (k * k * 31) % 251),
  { raw: { width: 64, height: 64, channels: 3 } },
);
const reading: ImageReading = protocols.bsds64;
const larger: ImageReading = { ...reading, layout: { size: 16, removeMean: false } };

describe("opening", () => {
  test("returns the size of every image as decoded", async () => {
    const onItsSide = noise.clone().resize(48, 20, { fit: "fill" });
    const paths = [
      await put(picture()),
      await put(await onItsSide.jpeg().withMetadata({ orientation: 6 }).toBuffer(), ".jpg"),
      await put(new Uint8Array(2 * 1536 * 1024), ".iml"),
      await put(await noise.clone().webp().toBuffer(), ".webp"),
    ];
    const set = await openImageSet(paths, reading);
    expect(set.images).toEqual([
      { path: paths[0], width: 40, height: 30 },
      { path: paths[1], width: 20, height: 48 },
      { path: paths[2], width: 1532, height: 1020 },
      { path: paths[3], width: 64, height: 64 },
    ]);
    expect(set.skipped).toEqual([]);
    for (const [index, { width, height }] of set.images.entries()) {
      const { pixels, ...size } = (await set.load(index, 0))!;
      expect(size).toMatchObject({ width, height });
      expect(pixels).toHaveLength(width * height);
    }
  });

  test("skips images whose headers show that they cannot be used", async () => {
    const good = await put(picture());
    const jpeg = await noise.clone().jpeg().toBuffer();
    const integers = { width: 9, height: 9, channels: 1, samples: new Uint32Array(81) } as const;
    const broken: [path: string, phrase: string][] = [
      [await put(picture(12, 9)), "12×9 pixels"],
      [await put(""), "empty"],
      [await put("", ".iml"), "empty"],
      [await put("not a picture"), "PNG, JPEG"],
      [await put("abc", ".iml"), "3145728 bytes"],
      [files.fresh(".png"), "no such file"],
      [await put(jpeg.subarray(0, 100), ".jpg"), "damaged"],
      [await put(tiffBytes(integers), ".tif"), "uint"],
    ];
    const told: SkippedImage[] = [];
    const paths = [...broken.slice(0, 3).map(([path]) => path), good];
    for (const [path] of broken.slice(3)) paths.push(path);
    const progress: number[] = [];
    const set = await openImageSet(paths, larger, {
      onSkipped: (skipped) => told.push(skipped),
      onProgress: (done, total) => {
        expect(total).toBe(paths.length);
        progress.push(done);
      },
    });
    expect(set.images.map(({ path }) => path)).toEqual([good]);
    const wanted = broken.map(([path, phrase]) => ({
      path,
      reason: expect.stringMatching(new RegExp(`${path}.*${phrase}`)) as string,
    }));
    expect(set.skipped).toEqual(wanted);
    expect(told).toEqual(wanted);
    expect(progress).toEqual(paths.map((_, k) => k + 1));
  });

  test("rejects a folder", async () => {
    const path = files.fresh(".png");
    await mkdir(path);
    await expectError(openImageSet([path], reading), { code: "unusable-images", phrase: path });
  });

  test("throws one error if no image can be used", async () => {
    const small = await put(picture(12, 9));
    const empty = await put("");
    const open = (paths: string[]) => sentenceOf(openImageSet(paths, larger));
    const isSmall = `${small} is 12×9 pixels, smaller than the 16×16 patches`;
    expect(await open([small])).toBe(`${isSmall}.`);
    expect(await open([small, empty, empty])).toBe(
      `None of the 3 images can be used: ${isSmall}, and 2 more.`,
    );
    expect(await open([empty, small])).toEqual(
      expect.stringMatching(
        `^None of the 2 images can be used: cannot read ${empty}: .*, and 1 more`,
      ),
    );
  });

  test("throws for the first bad path if strict", async () => {
    const paths = [await put(picture()), await put(""), await put(picture(3, 3))];
    for (let k = 0; k < 20; k++) paths.push(paths[2]);
    await expectError(openImageSet(paths, reading, { strict: true }), {
      code: "unusable-images",
      phrase: paths[1],
    });
  });

  test("can be aborted", async () => {
    const paths = Array<string>(200).fill(await put(picture()));
    const controller = new AbortController();
    const onProgress = (done: number) => {
      if (done === 20) controller.abort();
    };
    const opening = openImageSet(paths, reading, { signal: controller.signal, onProgress });
    await expect(opening).rejects.toMatchObject({ name: "AbortError" });
  });

  test("rejects bad arguments", async () => {
    const path = await put(picture());
    expect(await sentenceOf(openImageSet([], reading))).toBe(
      "Expected paths to name at least one image but received [].",
    );
    const wrong = { ...reading, luminance: "red" as "grey" };
    expect(await sentenceOf(openImageSet([path], wrong))).toBe(
      refusal("luminance", 'be "grey" or "linear"', "red"),
    );
    const set = await openImageSet([path], reading);
    expect(await sentenceOf(set.load(1, 0))).toBe(
      refusal("the index of an image", "be an integer from 0 to 0", 1),
    );
  });
});

describe("loading", () => {
  test("adds dequantisation noise that depends on seed, name and round", async () => {
    const path = await put(await noise.clone().png().toBuffer());
    for (const luminance of ["grey", "linear"] as const) {
      const decoded = await decodeImage(path, luminance);
      const set = await openImageSet([path], { ...reading, luminance }, { seed: 5 });
      const again = await openImageSet([path], { ...reading, luminance }, { seed: 5 });
      const other = await openImageSet([path], { ...reading, luminance }, { seed: 6 });
      const first = (await set.load(0, 0))!;
      const { levels, spacing } = decoded;
      const stream = createRandom(5, "noise", basename(path), 0);
      const pixels = dequantize(decoded, stream);
      expect(first).toEqual({ width: 64, height: 64, pixels, levels, spacing });
      expect(await again.load(0, 0)).toEqual(first);
      expect(await set.load(0, 0)).toEqual(first);
      expect((await set.load(0, 1))!.pixels).not.toEqual(first.pixels);
      expect((await other.load(0, 0))!.pixels).not.toEqual(first.pixels);
    }
  });

  test("adds no noise if the reading asks for none", async () => {
    const path = await put(picture());
    const { load } = await openImageSet([path], { ...reading, dequantize: false });
    expect((await load(0, 3))!.pixels).toEqual((await decodeImage(path, "grey")).pixels);
  });

  test("accepts constant images and floating point", async () => {
    const constant = pngBytes({
      width: 9,
      height: 9,
      depth: 8,
      channels: 1,
      samples: new Uint8Array(81).fill(7),
    });
    const samples = Float32Array.from({ length: 81 }, (_, k) => k / 80);
    const float = tiffBytes({ width: 9, height: 9, channels: 1, samples });
    const beyond = tiffBytes({
      width: 9,
      height: 9,
      channels: 1,
      samples: samples.map((value) => value - 0.1),
    });
    const paths = [await put(constant), await put(float, ".tif"), await put(beyond, ".tif")];
    const set = await openImageSet(paths, reading);
    expect((await set.load(0, 0))!.levels).toBe(256);
    expect((await set.load(1, 0))!.pixels).toEqual(samples);
    expect(await set.load(2, 0)).toBeUndefined();
    expect(set.skipped[0].reason).toMatch(/has values beyond 0 \(black\) and 1 \(white\)/);
  });

  const truncated = {
    ".png": () => noise.clone().png().toBuffer(),
    ".jpg": () => noise.clone().jpeg().toBuffer(),
  };
  test.each(Object.entries(truncated))("reports a truncated %s once", async (ending, encode) => {
    const bytes = await encode();
    const path = await put(bytes.subarray(0, Math.floor(0.7 * bytes.length)), ending);
    const paths = [path, await put(picture())];
    const told: SkippedImage[] = [];
    const options = { onSkipped: (skipped: SkippedImage) => told.push(skipped) };
    const set = await openImageSet(paths, reading, options);
    expect([set.images.length, told]).toEqual([2, []]);
    const loaded = await Promise.all([set.load(0, 0), set.load(0, 1), set.load(1, 0)]);
    expect(loaded.map((image) => image?.width)).toEqual([undefined, undefined, 40]);
    expect(await set.load(0, 2)).toBeUndefined();
    expect(set.skipped).toEqual(told);
    expect(told.map((skipped) => skipped.path)).toEqual([path]);
    const sentence = await sentenceOf(decodeImage(path, "grey"));
    expect(told[0].reason).toBe(sentence);
    const strict = await openImageSet(paths, reading, { strict: true });
    expect(await sentenceOf(strict.load(0, 0))).toBe(sentence);
    const alone = await openImageSet([path], reading);
    expect(await sentenceOf(alone.load(0, 0))).toBe(sentence);
    expect(await sentenceOf(alone.load(0, 1))).toBe(sentence);
  });

  test("skips a file that has changed, and throws if a file cannot be read", async () => {
    const paths = [await put(picture()), await put(picture()), await put(picture())];
    const set = await openImageSet(paths, reading);
    await writeFile(paths[0], picture(20, 20));
    await rm(paths[1]);
    expect(await set.load(0, 0)).toBeUndefined();
    expect(set.skipped.map(({ reason }) => reason)).toEqual([
      `${paths[0]} was changed while it was in use: 40×30 pixels before, 20×20 now.`,
    ]);
    await expectError(set.load(1, 0), { code: "cannot-read", phrase: paths[1] });
  });

  test("skips saturated pictures on request, strict or not", async () => {
    const samples = Uint8Array.from({ length: 900 }, (_, k) => (k < 5 ? 255 : k % 200));
    const clipped = { width: 30, height: 30, depth: 8, channels: 1, samples } as const;
    const path = await put(pngBytes(clipped));
    const paths = [path, await put(picture(50, 50, 200))];
    const kept = await openImageSet(paths, reading);
    expect(await kept.load(0, 0)).toBeDefined();
    const set = await openImageSet(paths, reading, { removeSaturated: true, strict: true });
    expect(await set.load(0, 0)).toBeUndefined();
    expect(await set.load(1, 0)).toBeDefined();
    const reason = `${path} is saturated: more than 0.1 % of its pixels are in the highest bin.`;
    expect(set.skipped).toEqual([{ path, reason }]);
  });
});

describe("white noise", () => {
  const noisy: ImageReading = { ...reading, dequantize: false, noiseLevel: 0.1 };

  test("has the requested level and differs in every round", async () => {
    const path = await put(picture(200, 200));
    const clean = await (await openImageSet([path], { ...noisy, noiseLevel: 0 })).load(0, 0);
    const set = await openImageSet([path], noisy);
    const [first, again, other] = [
      await set.load(0, 0),
      await set.load(0, 0),
      await set.load(0, 1),
    ];
    expect(again).toEqual(first);
    expect(other?.pixels).not.toEqual(first?.pixels);
    let squares = 0;
    first?.pixels.forEach((value, k) => (squares += (value - Number(clean?.pixels[k])) ** 2));
    // 40,000 values: the standard error of their deviation is a third of a percent.
    expect(Math.sqrt(squares / 40_000)).toBeCloseTo(0.1, 2);
    expect([clean?.spacing, first?.spacing]).toEqual(["even", "none"]);
  });
});

describe("the fingerprint", () => {
  const fingerprintOf = async (paths: string[]) => (await openImageSet(paths, reading)).fingerprint;

  test("is the same for the same files in another folder", async () => {
    const paths = [await put(picture()), await put(picture(20, 20))];
    const fingerprint = await fingerprintOf(paths);
    expect(fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await fingerprintOf(paths)).toBe(fingerprint);
    const elsewhere = await mkdtemp(join(dirname(paths[0]), "copy-"));
    const copies = paths.map((path) => join(elsewhere, basename(path)));
    await writeFile(copies[0], picture());
    await writeFile(copies[1], picture(20, 20));
    expect(await fingerprintOf(copies)).toBe(fingerprint);
    // Skipped images do not count.
    expect(await fingerprintOf([...copies, await put("")])).toBe(fingerprint);
  });

  test("changes with a file's bytes, its name, and the order", async () => {
    const paths = [await put(picture()), await put(picture(20, 20))];
    const seen = new Set([await fingerprintOf(paths), await fingerprintOf(paths.toReversed())]);
    seen.add(await fingerprintOf([paths[0], await put(picture(20, 20))]));
    await writeFile(paths[1], picture(20, 20, 249));
    seen.add(await fingerprintOf(paths));
    // Bytes after the end of the picture, which no decoder reads.
    await writeFile(paths[1], Buffer.concat([picture(20, 20, 249), Buffer.alloc(9000)]));
    seen.add(await fingerprintOf(paths));
    expect(seen.size).toBe(5);
  });
});

test("the window is the number of the largest images that fit into memory", async () => {
  const sizes = [10, 30, 20, 30];
  const paths = await Promise.all(sizes.map((side) => put(picture(side, side))));
  const set = await openImageSet(paths, reading);
  expect(set.windowFor()).toBe(4);
  expect(set.windowFor(4 * (900 + 900 + 400))).toBe(3);
  expect(set.windowFor(4 * (900 + 900 + 400) - 1)).toBe(2);
  expect(set.windowFor(1)).toBe(1);
  expect(() => set.windowFor(0)).toThrow(refusal("bytes", "be positive", 0));
});
