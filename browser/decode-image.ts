import type { PictureChannels } from "../src/denoising/denoise-channels.js";
import { GaussianizeError } from "../src/errors.js";
import { type DecodedImage, decodeIml } from "../src/images/decoded-image.js";
import { isJpegTurned, jpegBlocksOf } from "../src/images/jpeg-tables.js";
import { type Luminance, luminancePixels, requireLuminance } from "../src/images/luminance.js";
import { bitmapSamples, decodeBitmap } from "./bitmap-samples.js";
import { type PictureHeader, pictureHeader, requireFew } from "./picture-header.js";

export type { DecodedImage };

export interface ReadPictureOptions {
  /**
   * Files with more pixels are refused before they are decoded, as far as their first bytes tell;
   * default: what the browser can hold.
   */
  readonly mostPixels?: number;
}

/**
 * Reads a picture with the decoders of the platform, in a page or in a worker; files whose names
 * end in `.iml` are van Hateren's. The values are those of Node's `decodeImage` but for three
 * things that platforms do not tell: pictures of 16 bits are reduced to 8, `levels` is 256 where a
 * file has fewer, and colours count as sRGB whatever profile they have.
 *
 * @example
 * ```js
 * import { decodeImage } from "gaussianize/browser";
 *
 * const [file] = document.querySelector("input").files;
 * const { width, height, pixels } = await decodeImage(file, "linear");
 * ```
 */
export async function decodeImage(
  blob: Blob,
  luminance: Luminance,
  { mostPixels = Infinity }: ReadPictureOptions = {},
): Promise<DecodedImage> {
  requireLuminance(luminance);
  const source = blob instanceof File ? blob.name : "";
  const name = source === "" ? "the picture" : source;
  if (blob.size === 0)
    throw new GaussianizeError("file-damaged", `Cannot read ${name}: it is empty.`);
  if (/\.iml$/i.test(source)) return decodeIml(new Uint8Array(await blob.arrayBuffer()), source);
  const header = pictureHeader(new Uint8Array(await blob.arrayBuffer()));
  if (header) requireFew(header, name, mostPixels);
  const bitmap = await decodeBitmap(blob, name);
  try {
    const { width, height } = bitmap;
    requireFew(bitmap, name, mostPixels);
    const samples = bitmapSamples(bitmap, name);
    const pixels = luminancePixels(luminance, samples, 4);
    const spacing = luminance === "linear" ? "srgb" : "even";
    const channels = isGrey(samples) ? 1 : 3;
    return { width, height, pixels, depth: 8, levels: 256, spacing, channels, source };
  } finally {
    bitmap.close();
  }
}

/** Platforms give every picture four channels. */
export function isGrey(samples: Uint8Array | Uint8ClampedArray): boolean {
  for (let at = 0; at < samples.length; at += 4) {
    if (samples[at] !== samples[at + 1] || samples[at] !== samples[at + 2]) return false;
  }
  return true;
}

/** A picture with its colours as they are stored: codes divided by 255. */
export interface BrowserPicture extends PictureChannels {
  /** On the scale of the channels, which are not multiplied by it; null where all is opaque. */
  readonly alpha: Float32Array | null;
  /** Whether the file has more bits than the 8 that browsers give. */
  readonly isReduced: boolean;
  /** The name of the file. */
  readonly source: string;
}

/**
 * Reads a picture with all of its channels, in a page or in a worker. The values are those of
 * Node's `readPicture` for PNG files of 8 bits; pictures of 16 bits are reduced to 8, and those
 * that say so are turned upright. JPEG decoders may differ in the last digit.
 *
 * @throws GaussianizeError for files that hold anything but one picture, grey or RGB, with or
 *   without alpha
 *
 * @example
 * ```js
 * import { readPicture } from "gaussianize/browser";
 *
 * const { channels } = await readPicture(await (await fetch("photo.png")).blob());
 * ```
 */
export async function readPicture(
  blob: Blob,
  { mostPixels = Infinity }: ReadPictureOptions = {},
): Promise<BrowserPicture> {
  const source = blob instanceof File ? blob.name : "";
  const name = source === "" ? "the picture" : source;
  if (blob.size === 0)
    throw new GaussianizeError("file-damaged", `Cannot read ${name}: it is empty.`);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const header = pictureHeader(bytes);
  const jpeg = isJpegTurned(bytes) ? undefined : jpegBlocksOf(bytes);
  if (header) requireReadable(header, name, mostPixels);
  const bitmap = await decodeBitmap(blob, name);
  try {
    const { width, height } = bitmap;
    requireFew(bitmap, name, mostPixels);
    const samples = bitmapSamples(bitmap, name);
    const colours = header?.colours ?? (isGrey(samples) ? 1 : 3);
    const channels = Array.from({ length: colours }, (_, k) => everyFourth(samples, k));
    const alpha = everyFourth(samples, 3);
    const isOpaque = alpha.every((value) => value === 1);
    const isReduced = (header?.bits ?? 8) > 8;
    const known = { isReduced, source, ...(jpeg && { jpeg }) };
    return { width, height, channels, alpha: isOpaque ? null : alpha, ...known };
  } finally {
    bitmap.close();
  }
}

function requireReadable(header: PictureHeader, name: string, mostPixels: number): void {
  requireFew(header, name, mostPixels);
  const reason = header.isAnimated
    ? "it is an animation, not one picture"
    : header.colours === 4
      ? "its colours are CMYK, not grey or RGB"
      : undefined;
  if (reason)
    throw new GaussianizeError("unsupported-file", `Cannot read ${name} as a picture: ${reason}.`);
}

function everyFourth(samples: Uint8Array | Uint8ClampedArray, first: number): Float32Array {
  const values = new Float32Array(samples.length / 4);
  for (let k = 0; k < values.length; k++) values[k] = samples[first + 4 * k] / 255;
  return values;
}
