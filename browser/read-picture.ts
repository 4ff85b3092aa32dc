import type { PictureChannels } from "../src/denoising/denoise-channels.js";
import { GaussianizeError } from "../src/errors.js";
import { isJpegTurned, jpegBlocksOf } from "../src/images/jpeg-tables.js";
import { bitmapSamples } from "./bitmap-samples.js";
import { decodeBitmap } from "./decode-bitmap.js";
import { type ReadPictureOptions, isGrey } from "./decode-image.js";
import { type PictureHeader, pictureHeader, requireFew } from "./picture-header.js";

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
 * Reads a picture with all of its channels, in a page or in a worker. The values are those of Node's `readPicture` for PNG files of 8 bits; pictures
 * of 16 bits are reduced to 8, and those that say so are turned upright. JPEG decoders may differ in the last digit.
 *
 * @throws GaussianizeError for files that hold anything but one picture, grey or RGB, with or without alpha
 */
export async function readPicture(
  blob: Blob,
  { mostPixels = Infinity }: ReadPictureOptions = {},
): Promise<BrowserPicture> {
  const source = blob instanceof File ? blob.name : "";
  const name = source === "" ? "the picture" : source;
  if (blob.size === 0) throw new GaussianizeError(`Cannot read ${name}: it is empty.`);
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
  if (reason) throw new GaussianizeError(`Cannot read ${name} as a picture: ${reason}.`);
}

function everyFourth(samples: Uint8Array | Uint8ClampedArray, first: number): Float32Array {
  const values = new Float32Array(samples.length / 4);
  for (let k = 0; k < values.length; k++) values[k] = samples[first + 4 * k] / 255;
  return values;
}
