/** The picture of the panel in the compute worker: noisy, and clean if that is known. */
import { type BrowserPicture, readPicture } from "../../../browser/decode-image.js";
import type { PictureChannels } from "../../../src/denoising/denoise-channels.js";
import { greyLevels, withPictureNoise } from "../../../src/denoising/picture-noise.js";
import { centralCrop } from "../../../src/images/grey-image.js";
import { jpegBlocksFrom } from "../../../src/images/jpeg-tables.js";
import { mostPixels } from "../../compute/decode-picture.js";
import type { NamedFile } from "../../named-file.js";

export interface Subject extends NamedFile {
  /** Side of the central square in pixels; null for the whole picture. */
  readonly side: number | null;
  /** White noise to add, σ in grey levels; null if the picture is already noisy. */
  readonly noise: { readonly sigma: number; readonly seed: number } | null;
}

export interface OpenSubject {
  /** Size of the file. */
  readonly whole: { readonly width: number; readonly height: number };
  readonly isReduced: boolean;
  readonly alpha: Float32Array | null;
  /** Null if the file is already noisy. */
  readonly clean: PictureChannels | null;
  readonly noisy: PictureChannels;
}

let decoded: { readonly key: string; readonly picture: BrowserPicture } | undefined;
let opened: { readonly settings: string; readonly subject: OpenSubject } | undefined;

/** Opens a picture, and keeps it until another one is opened. */
export async function openSubject({ file, key, side, noise }: Subject): Promise<OpenSubject> {
  const settings = JSON.stringify([key, side, noise]);
  if (opened?.settings === settings) return opened.subject;
  const picture = await decodeSubject({ file, key });
  const { isReduced, alpha, jpeg } = picture;
  const whole = { width: picture.width, height: picture.height };
  const crop = (pixels: Float32Array): Float32Array =>
    side === null
      ? pixels
      : centralCrop({ ...whole, pixels }, { width: side, height: side }).pixels;
  const [width, height] = [whole.width, whole.height].map((all) => Math.min(all, side ?? Infinity));
  const [left, top] = [whole.width - width, whole.height - height].map((cut) => cut >> 1);
  const given = {
    width,
    height,
    channels: picture.channels.map(crop),
    jpeg: jpeg && jpegBlocksFrom(jpeg, left, top),
  };
  const subject = {
    whole,
    isReduced,
    alpha: alpha && crop(alpha),
    clean: noise ? given : null,
    noisy: noise ? withNoise(given, file.name, noise) : given,
  };
  opened = { settings, subject };
  return subject;
}

/** @throws GaussianizeError if the file is not a picture, or too large */
export async function decodeSubject({ file, key }: NamedFile): Promise<BrowserPicture> {
  if (decoded?.key !== key) {
    // Two large pictures may not fit into memory.
    decoded = opened = undefined;
    decoded = { key, picture: await readPicture(file, { mostPixels }) };
  }
  return decoded.picture;
}

function withNoise(
  picture: PictureChannels,
  name: string,
  { sigma, seed }: NonNullable<Subject["noise"]>,
): PictureChannels {
  if (sigma === 0) return picture;
  // The result has no JPEG blocks, because the noise was added after the compression.
  return withPictureNoise(picture, { sigma: sigma / greyLevels, seed, name });
}
