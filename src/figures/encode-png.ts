/** PNG files of 8-bit greys: signature, header, one deflated block of rows, end (ISO/IEC 15948). */
import { zlibSync } from "fflate";
import type { GreyImage } from "../images/grey-image.js";

const signature = [137, 80, 78, 71, 13, 10, 26, 10];
const greyOfEightBits = [8, 0, 0, 0, 0];

/** Values from 0 (black) to 1 (white) as an 8-bit grey PNG; the same bytes everywhere. */
export function encodePng({ width, height, pixels }: GreyImage): Uint8Array<ArrayBuffer> {
  // Every row begins with the number of its filter: 0, none.
  const rows = new Uint8Array(height * (width + 1));
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const value = pixels[row * width + column];
      rows[row * (width + 1) + 1 + column] = Math.round(255 * Math.min(1, Math.max(0, value)));
    }
  }
  return joined([
    Uint8Array.from(signature),
    pngChunk("IHDR", Uint8Array.of(...bigEndian(width), ...bigEndian(height), ...greyOfEightBits)),
    pngChunk("IDAT", zlibSync(rows, { level: 9 })),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
}

/** Length, type, data, checksum of type and data. */
export function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const checked = joined([Uint8Array.from(type, (letter) => letter.charCodeAt(0)), data]);
  return joined([
    Uint8Array.from(bigEndian(data.length)),
    checked,
    Uint8Array.from(bigEndian(crc32(checked))),
  ]);
}

function bigEndian(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

const crcOfByte = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? 0xedb88320 ^ (remainder >>> 1) : remainder >>> 1;
  }
  return remainder;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcOfByte[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
