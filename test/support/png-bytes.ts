/** PNG files written here rather than by sharp, so that reading them proves something. */
import { crc32, deflateSync } from "node:zlib";

export interface PngContent {
  readonly width: number;
  readonly height: number;
  readonly depth: 1 | 2 | 4 | 8 | 16;
  /** Grey, grey and alpha, RGB, RGB and alpha. */
  readonly channels: 1 | 2 | 3 | 4;
  /** Channel by channel, pixel by pixel, row by row. */
  readonly samples: ArrayLike<number>;
  readonly iccProfile?: Uint8Array;
  /** Says another size in the header than the pixels have. */
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

/** Every row begins with its filter, here always 0: none. */
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
