/**
 * Chunks of WebP files (RFC 9649): type, length, data, padding to an even length. In a file with
 * metadata the first chunk lists the kinds of metadata and the size of the picture.
 */
import { type PictureMetadata, type PngChunk as WebpChunk, exifOf } from "./picture.js";

/** "RIFF", the length of the rest, "WEBP". */
const headerLength = 12;
const flags = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04 } as const;

export function isLosslessWebp(bytes: Buffer): boolean {
  return webpChunksOf(bytes).some(({ type }) => type === "VP8L");
}

/** Whether WebP can hold a profile. Readers reject profiles of grey: WebP has three colours. */
export function fitsWebp(icc: Uint8Array): boolean {
  return Buffer.from(icc).toString("latin1", 16, 20) !== "GRAY";
}

export interface WebpShape {
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
}

/** Adds metadata to a file that sharp wrote without. Skips what does not fit. */
export function webpWithMetadata(
  bytes: Buffer,
  shape: WebpShape,
  metadata: PictureMetadata,
): Buffer {
  const { xmp } = metadata;
  const icc = metadata.icc && fitsWebp(metadata.icc) ? metadata.icc : undefined;
  const exif = exifOf(metadata);
  if (!icc && !exif && !xmp) return bytes;
  const pixels = webpChunksOf(bytes).filter(({ type }) => type !== "VP8X");
  const flag =
    (icc ? flags.icc : 0) |
    (shape.hasAlpha ? flags.alpha : 0) |
    (exif ? flags.exif : 0) |
    (xmp ? flags.xmp : 0);
  return fileOf([
    { type: "VP8X", data: extendedHeader(flag, shape) },
    ...(icc ? [{ type: "ICCP", data: icc }] : []),
    ...pixels,
    ...(exif ? [{ type: "EXIF", data: exif }] : []),
    ...(xmp ? [{ type: "XMP ", data: xmp }] : []),
  ]);
}

function webpChunksOf(bytes: Buffer): WebpChunk[] {
  const chunks: WebpChunk[] = [];
  for (let at = headerLength; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 4);
    const data = bytes.subarray(at + 8, at + 8 + length);
    chunks.push({ type: bytes.toString("latin1", at, at + 4), data });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

/** Sizes have 24 bits and are stored minus one. */
function extendedHeader(flag: number, { width, height }: WebpShape): Uint8Array {
  const data = Buffer.alloc(10);
  data[0] = flag;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return data;
}

function fileOf(chunks: readonly WebpChunk[]): Buffer {
  const body = chunks.map(({ type, data }) => {
    const head = Buffer.alloc(8);
    head.write(type, 0, "latin1");
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  });
  const header = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  header.writeUInt32LE(
    body.reduce((sum, part) => sum + part.length, 4),
    4,
  );
  return Buffer.concat([header, ...body]);
}
