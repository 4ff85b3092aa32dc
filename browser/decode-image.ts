import { GaussianizeError } from "../src/errors.js";
import { type DecodedImage, decodeIml } from "../src/images/decoded-image.js";
import { luminancePixels } from "../src/images/luminance-pixels.js";
import { type Luminance, requireLuminance } from "../src/images/luminance.js";
import { bitmapSamples } from "./bitmap-samples.js";
import { decodeBitmap } from "./decode-bitmap.js";
import { pictureHeader, requireFew } from "./picture-header.js";

export type { DecodedImage };

export interface ReadPictureOptions {
  /** Files with more pixels are refused before they are decoded, as far as their first bytes tell; default: what the browser can hold. */
  readonly mostPixels?: number;
}

/**
 * Reads a picture with the decoders of the platform, in a page or in a worker; files whose names end in `.iml` are van Hateren's.
 * The values are those of Node's `decodeImage` but for three things that platforms do not tell: pictures of 16 bits are reduced to 8,
 * `levels` is 256 where a file has fewer, and colours count as sRGB whatever profile they have.
 */
export async function decodeImage(
  blob: Blob,
  luminance: Luminance,
  { mostPixels = Infinity }: ReadPictureOptions = {},
): Promise<DecodedImage> {
  requireLuminance(luminance);
  const source = blob instanceof File ? blob.name : "";
  const name = source === "" ? "the picture" : source;
  if (blob.size === 0) throw new GaussianizeError(`Cannot read ${name}: it is empty.`);
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
