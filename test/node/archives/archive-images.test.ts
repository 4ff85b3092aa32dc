import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { isTiff, tiffSize } from "../../../node/archives/archive-images.js";

const readerOf = (bytes: Buffer) => (offset: number, length: number) =>
  Promise.resolve(bytes.subarray(offset, offset + length));
const raw = { raw: { width: 30, height: 20, channels: 3 } } as const;
const picture = sharp(new Uint8Array(1800), raw);

type Entry = readonly [tag: number, type: number, value: number];

/** Returns a big-endian TIFF with nothing but a directory, at byte 100. */
function bigEndian(entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(102 + 12 * entries.length);
  bytes.write("MM\0*", "latin1");
  bytes.writeUInt32BE(100, 4);
  bytes.writeUInt16BE(entries.length, 100);
  entries.forEach(([tag, type, value], k) => {
    const at = 102 + 12 * k;
    bytes.writeUInt16BE(tag, at);
    bytes.writeUInt16BE(type, at + 2);
    bytes.writeUInt32BE(1, at + 4);
    bytes.writeUIntBE(value, at + 8, type === 3 ? 2 : 4);
  });
  return bytes;
}

describe("tiffSize", () => {
  test.each([{}, { bigtiff: true }, { tile: true }, { pyramid: true, tile: true }])(
    "agrees with the decoder: %o",
    async (options) => {
      const bytes = await picture.clone().tiff(options).toBuffer();
      expect(isTiff(bytes)).toBe(true);
      expect(await tiffSize(readerOf(bytes))).toEqual({ width: 30, height: 20 });
    },
  );

  test("is the size after rotation", async () => {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const bytes = await picture.clone().withMetadata({ orientation }).tiff().toBuffer();
      const { width, height } = (await sharp(bytes).metadata()).autoOrient;
      expect(await tiffSize(readerOf(bytes))).toEqual({ width, height });
    }
  });

  test("reads both byte orders, and short and long values", async () => {
    const entries: Entry[] = [
      [256, 3, 300],
      [257, 4, 70_000],
    ];
    expect(await tiffSize(readerOf(bigEndian(entries)))).toEqual({ width: 300, height: 70_000 });
    const turned = bigEndian([...entries, [274, 3, 6]]);
    expect(await tiffSize(readerOf(turned))).toEqual({ width: 70_000, height: 300 });
  });

  test("is undefined without a valid directory", async () => {
    const ofWidth = (type: number, width: number): Buffer =>
      bigEndian([
        [256, type, width],
        [257, 3, 200],
      ]);
    const sound = ofWidth(3, 300);
    const [text, empty] = [ofWidth(2, 300), ofWidth(3, 0)];
    const far = Buffer.from(sound);
    far.writeUInt32BE(0xffffffff, 4);
    const crowded = Buffer.from(sound);
    crowded.writeUInt16BE(0xffff, 100);
    const cut = [sound.subarray(0, 8), sound.subarray(0, 101), sound.subarray(0, 120)];
    for (const bytes of [far, crowded, text, empty, ...cut, Buffer.alloc(200)]) {
      expect(await tiffSize(readerOf(bytes))).toBeUndefined();
    }
  });
});
