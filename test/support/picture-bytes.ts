/** Picture files written without sharp, to test reading independently. */
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import type { GreyImage } from "../../src/images/grey-image.js";
import { type JpegBlocks, jpegBlocksOf } from "../../src/images/jpeg-tables.js";

export interface PngContent {
  readonly width: number;
  readonly height: number;
  readonly depth: 1 | 2 | 4 | 8 | 16;
  /** Grey, grey and alpha, RGB, RGB and alpha. */
  readonly channels: 1 | 2 | 3 | 4;
  /** Channel by channel, pixel by pixel, row by row. */
  readonly samples: ArrayLike<number>;
  readonly iccProfile?: Uint8Array;
  /** Size in the header, if it differs from that of the pixels. */
  readonly claim?: { readonly width: number; readonly height: number };
}

const colourTypes = { 1: 0, 2: 4, 3: 2, 4: 6 } as const;
const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export function pngBytes(content: PngContent): Buffer {
  const { depth, channels, iccProfile, claim = content } = content;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claim.width, 0);
  header.writeUInt32BE(claim.height, 4);
  header.set([depth, colourTypes[channels]], 8);
  const profile = iccProfile
    ? [chunk("iCCP", Buffer.concat([Buffer.from("profile\0\0"), deflateSync(iccProfile)]))]
    : [];
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    ...profile,
    chunk("IDAT", deflateSync(filteredRows(content))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Every row starts with its filter; 0 is none. */
function filteredRows({ width, height, depth, channels, samples }: PngContent): Buffer {
  const rowLength = Math.ceil((width * channels * depth) / 8);
  const rows = Buffer.alloc((1 + rowLength) * height);
  for (let row = 0; row < height; row++) {
    for (let i = 0; i < width * channels; i++) {
      const value = samples[row * width * channels + i];
      const bit = i * depth;
      const at = row * (1 + rowLength) + 1 + Math.floor(bit / 8);
      if (depth === 16) rows.writeUInt16BE(value, at);
      else rows[at] |= value << (8 - depth - (bit % 8));
    }
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Returns an uncompressed TIFF file, written without sharp. */

export interface TiffContent {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /** The array type determines the sample type in the file. */
  readonly samples: Uint8Array | Uint16Array | Uint32Array | Float32Array;
}

/** Little-endian, one strip. */
export function tiffBytes({ width, height, channels, samples }: TiffContent): Buffer {
  const bits = 8 * samples.BYTES_PER_ELEMENT;
  const entries: [tag: number, value: number][] = [
    [256, width],
    [257, height],
    [258, bits],
    [259, 1], // not compressed
    [262, channels === 3 ? 2 : 1], // RGB, or grey with black at 0
    [273, 0], // where the pixels begin: filled in below
    [277, channels],
    [278, height],
    [279, samples.byteLength],
    [284, 1], // channels lie together
    [339, samples instanceof Float32Array ? 3 : 1],
  ];
  const directoryLength = 2 + 12 * entries.length + 4;
  const wideBits = 8 + directoryLength;
  const pixels = wideBits + 8;
  const bytes = Buffer.alloc(pixels + samples.byteLength);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(entries.length, 8);
  for (const [i, [tag, value]] of entries.entries()) {
    const at = 10 + 12 * i;
    // Three depths do not fit into the entry and follow the directory.
    const isWide = channels === 3 && tag === 258;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(isWide ? 3 : 4, at + 2);
    bytes.writeUInt32LE(isWide ? 3 : 1, at + 4);
    bytes.writeUInt32LE(isWide ? wideBits : tag === 273 ? pixels : value, at + 8);
  }
  for (let i = 0; i < 3; i++) bytes.writeUInt16LE(bits, wideBits + 2 * i);
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), pixels);
  return bytes;
}

/** Returns a grey image after JPEG compression of this quality, and its quantisation. */
export async function asJpeg(
  { width, height, pixels }: GreyImage,
  quality: number,
): Promise<{ readonly image: GreyImage; readonly jpeg: JpegBlocks; readonly bytes: Buffer }> {
  const codes = Uint8Array.from(pixels, (value) =>
    Math.round(255 * Math.min(1, Math.max(0, value))),
  );
  const raw = { width, height, channels: 1 } as const;
  const bytes = await sharp(codes, { raw }).toColourspace("b-w").jpeg({ quality }).toBuffer();
  const decoded = await sharp(bytes).toColourspace("b-w").raw().toBuffer();
  const jpeg = jpegBlocksOf(bytes);
  if (!jpeg) throw new Error("there are no tables in the file");
  return {
    image: { width, height, pixels: Float32Array.from(decoded, (v) => v / 255) },
    jpeg,
    bytes,
  };
}
