/** Encodes PNG files of 8 bits: signature, header, deflated rows, end (ISO/IEC 15948). */
import { zlibSync } from "fflate";
import type { PictureChannels } from "../denoising/denoise-channels.js";
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { concatenated } from "../kernels/concatenated.js";

const signature = [137, 80, 78, 71, 13, 10, 26, 10];
/** Colour type by samples per pixel: grey, grey and alpha, colours, colours and alpha. */
const colourTypes = [NaN, 0, 4, 2, 6];

/** A grey or RGB picture, with the opacity of each pixel. */
export interface PngPicture extends PictureChannels {
  readonly alpha?: Float32Array | null;
}

export interface PngOptions {
  /** Compression level from 0 (fast) to 9 (small, the default). */
  readonly level?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
}

/**
 * Encodes values from 0 (black, transparent) to 1 (white, opaque) as an 8-bit PNG, rounded to the
 * nearest; the bytes are the same on every platform.
 */
export function encodePng(
  image: GreyImage | PngPicture,
  { level = 9 }: PngOptions = {},
): Uint8Array<ArrayBuffer> {
  const { width, height } = image;
  const planes = planesOf(image);
  const format = [8, colourTypes[planes.length], 0, 0, 0];
  const header = [...bigEndian(width), ...bigEndian(height), ...format];
  return concatenated(Uint8Array, [
    Uint8Array.from(signature),
    pngChunk("IHDR", Uint8Array.from(header)),
    pngChunk("IDAT", zlibSync(rowsOf(planes, width, height), { level })),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
}

function planesOf(image: GreyImage | PngPicture): readonly Float32Array[] {
  if (!("channels" in image)) return [image.pixels];
  const { channels, alpha } = image;
  if (channels.length !== 1 && channels.length !== 3) {
    throw expected("channels", "be one of grey, or red, green and blue", channels.length);
  }
  return alpha ? [...channels, alpha] : channels;
}

function rowsOf(planes: readonly Float32Array[], width: number, height: number): Uint8Array {
  const stride = planes.length;
  // Every row begins with its filter type: 0, none.
  const rows = new Uint8Array(height * (stride * width + 1));
  planes.forEach((pixels, k) => {
    for (let row = 0; row < height; row++) {
      let to = row * (stride * width + 1) + 1 + k;
      for (let from = row * width; from < (row + 1) * width; from++, to += stride) {
        rows[to] = Math.round(255 * Math.min(1, Math.max(0, pixels[from])));
      }
    }
  });
  return rows;
}

/** A chunk: length, type, data, checksum of type and data. */
export function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const checked = concatenated(Uint8Array, [
    Uint8Array.from(type, (letter) => letter.charCodeAt(0)),
    data,
  ]);
  return concatenated(Uint8Array, [
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

/** Encodes a picture as a data URL. */
export function pngDataUrl(image: GreyImage): string {
  let binary = "";
  for (const byte of encodePng(image)) binary += String.fromCharCode(byte);
  return `data:image/png;base64,${btoa(binary)}`;
}
