/** PSNR and SSIM of a picture and its reference. */
import { type PictureChannels, requireChannels } from "../denoising/denoise-channels.js";
import { expected } from "../errors.js";
import { type GreyImage, type GreyPixels, requireSameSize } from "../images/grey-image.js";
import { portableLog10 } from "../numbers/extended-logarithm.js";
import { meanOf } from "../numbers/means.js";
import { square } from "../numbers/square.js";
import { ssim } from "./ssim.js";

export interface PictureQuality {
  /** Peak signal-to-noise ratio of all channels together, in decibels. */
  readonly psnr: number;
  /** Mean structural similarity of the channels. */
  readonly ssim: number;
}

/** Width of the window of SSIM; smaller pictures are extended by reflection. */
const ssimWindow = 11;

/** Compares pictures of one or three channels. Pixels are neither clipped nor rounded. */
export function pictureQuality(
  picture: PictureChannels,
  reference: PictureChannels,
): PictureQuality {
  requireChannels(picture);
  requireChannels(reference);
  const { width, height, channels } = reference;
  if (picture.channels.length !== channels.length) {
    const rule = `have the ${channels.length} channels of the reference`;
    throw expected("the picture", rule, picture.channels.length);
  }
  const border = Math.min(width, height) < ssimWindow ? "reflect" : "leave out";
  const similarities = channels.map((pixels, k) =>
    ssim({ width, height, pixels: picture.channels[k] }, { width, height, pixels }, { border }),
  );
  return {
    psnr: psnrInDecibels(stacked(picture), stacked(reference)),
    ssim: meanOf(similarities),
  };
}

/** Stacks the channels one below the other. */
function stacked({ width, height, channels }: PictureChannels): GreyImage {
  const pixels = new Float32Array(width * height * channels.length);
  channels.forEach((channel, k) => {
    pixels.set(channel, k * channel.length);
  });
  return { width, height: height * channels.length, pixels };
}

/**
 * Peak signal-to-noise ratio of pixels from 0 to 1, in decibels:
 *
 *   PSNR = 10 log₁₀ (1 / mean (a − b)²)
 *
 * Infinity if the images are equal.
 */
export function psnrInDecibels(image: GreyPixels, reference: GreyPixels): number {
  requireSameSize(image, reference);
  const { pixels } = reference;
  let squares = 0;
  for (let k = 0; k < pixels.length; k++) squares += square(image.pixels[k] - pixels[k]);
  return 10 * portableLog10(pixels.length / squares);
}
