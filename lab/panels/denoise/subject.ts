/**
 * The picture of the panel, as the compute worker keeps it: clean where that is known, and noisy.
 */
import { type BrowserPicture, readPicture } from "../../../browser/decode-image.js";
import type { PictureChannels } from "../../../src/denoising/denoise-channels.js";
import { greyLevels, withPictureNoise } from "../../../src/denoising/picture-noise.js";
import { centralCrop } from "../../../src/images/grey-image.js";
import { jpegBlocksFrom } from "../../../src/images/jpeg-tables.js";
import { mostPixels } from "../../compute/decode-picture.js";
import type { NamedFile } from "../../named-file.js";

export interface Subject extends NamedFile {
  /** The side of the square from its middle; null: all of it. */
  readonly side: number | null;
  /** White noise to add, σ in grey levels; null: the picture has noise already. */
  readonly noise: { readonly sigma: number; readonly seed: number } | null;
}

export interface OpenSubject {
  readonly whole: { readonly width: number; readonly height: number };
  readonly isReduced: boolean;
  readonly alpha: Float32Array | null;
  /** Null where the picture came with its noise. */
  readonly clean: PictureChannels | null;
  readonly noisy: PictureChannels;
}

let decoded: { readonly key: string; readonly picture: BrowserPicture } | undefined;
let opened: { readonly settings: string; readonly subject: OpenSubject } | undefined;

/** The last one is kept. */
export async function openSubject({ file, key, side, noise }: Subject): Promise<OpenSubject> {
  const settings = JSON.stringify([key, side, noise]);
  if (opened?.settings === settings) return opened.subject;
  const picture = await decodeSubject({ file, key });
  const crop = (pixels: Float32Array): Float32Array =>
    side === null
      ? pixels
      : centralCrop({ ...picture, pixels }, { width: side, height: side }).pixels;
  const [width, height] = [picture.width, picture.height].map((whole) =>
    Math.min(whole, side ?? Infinity),
  );
  const [left, top] = [picture.width - width, picture.height - height].map((cut) => cut >> 1);
  const given = {
    width,
    height,
    channels: picture.channels.map(crop),
    jpeg: picture.jpeg && jpegBlocksFrom(picture.jpeg, left, top),
  };
  const subject = {
    whole: { width: picture.width, height: picture.height },
    isReduced: picture.isReduced,
    alpha: picture.alpha && crop(picture.alpha),
    clean: noise ? given : null,
    noisy: noise ? withNoise(given, file.name, noise) : given,
  };
  opened = { settings, subject };
  return subject;
}

/** @throws GaussianizeError where it is no picture, or too large */
export async function decodeSubject({ file, key }: NamedFile): Promise<BrowserPicture> {
  if (decoded?.key !== key) {
    // Two large pictures at a time may be too much.
    decoded = opened = undefined;
    decoded = { key, picture: await readPicture(file, { mostPixels }) };
  }
  return decoded.picture;
}

function withNoise(
  picture: PictureChannels,
  name: string,
  { sigma, seed }: { readonly sigma: number; readonly seed: number },
): PictureChannels {
  if (sigma === 0) return picture;
  // Without the blocks of a JPEG file, which did not round this noise.
  return withPictureNoise(picture, { sigma: sigma / greyLevels, seed, name });
}
