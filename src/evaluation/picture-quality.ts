/** How near a picture is to another one. */
import type { PictureChannels } from "../denoising/denoise-channels.js";
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { psnrInDecibels } from "./psnr.js";
import { ssim } from "./ssim.js";

export interface PictureQuality {
  /** In decibels; of all channels together. */
  readonly psnr: number;
  /** The mean of the channels. */
  readonly ssim: number;
}

/** The window of SSIM; smaller pictures are continued by reflection. */
const ssimWindow = 11;

/** Of one channel or of red, green and blue. Pixels as they are, neither clipped nor rounded. */
export function pictureQuality(
  picture: PictureChannels,
  reference: PictureChannels,
): PictureQuality {
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
    ssim: similarities.reduce((sum, value) => sum + value, 0) / similarities.length,
  };
}

/** Channels one below the other. */
function stacked({ width, height, channels }: PictureChannels): GreyImage {
  const pixels = new Float32Array(width * height * channels.length);
  channels.forEach((channel, k) => {
    pixels.set(channel, k * channel.length);
  });
  return { width, height: height * channels.length, pixels };
}
