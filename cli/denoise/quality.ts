/** How near a picture is to another one. */
import { GaussianizeError, type PictureChannels, psnrInDecibels, ssim } from "../../src/index.js";
import type { Picture } from "../../node/index.js";

export interface Quality {
  /** In decibels; of all channels together. */
  readonly psnr: number;
  /** The mean of the channels. */
  readonly ssim: number;
}

/** The window of SSIM; smaller pictures are continued by reflection. */
const ssimWindow = 11;

/** Pixels as they are, neither clipped nor rounded. */
export function qualityOf(picture: PictureChannels, reference: PictureChannels): Quality {
  const { width, height } = reference;
  const border = Math.min(width, height) < ssimWindow ? "reflect" : "leave out";
  const similarities = reference.channels.map((pixels, k) =>
    ssim({ width, height, pixels: picture.channels[k] }, { width, height, pixels }, { border }),
  );
  return {
    psnr: psnrInDecibels(stacked(picture), stacked(reference)),
    ssim: similarities.reduce((sum, value) => sum + value, 0) / similarities.length,
  };
}

export interface Means {
  readonly noisy: Quality;
  readonly denoised: Quality;
}

/** Of all pictures whose clean one is known; undefined where there is none. */
export function meansOf(pictures: readonly MeasuredPicture[]): Means | undefined {
  const measured = pictures.flatMap(({ noisy, psnr, ssim }) =>
    noisy && psnr !== undefined && ssim !== undefined ? [{ noisy, denoised: { psnr, ssim } }] : [],
  );
  if (measured.length === 0) return undefined;
  return {
    noisy: meanQuality(measured.map(({ noisy }) => noisy)),
    denoised: meanQuality(measured.map(({ denoised }) => denoised)),
  };
}

interface MeasuredPicture {
  /** Before, where it is known. */
  readonly noisy?: Quality;
  readonly psnr?: number;
  readonly ssim?: number;
}

function meanQuality(all: readonly Quality[]): Quality {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return { psnr: mean(all.map(({ psnr }) => psnr)), ssim: mean(all.map((each) => each.ssim)) };
}

export function requireSameShape(picture: Picture, reference: Picture): void {
  const [found, wanted] = [reference, picture].map(
    ({ width, height, channels }) =>
      `${width}×${height} pixels, ${channels.length === 1 ? "grey" : "colour"}`,
  );
  if (found === wanted) return;
  throw new GaussianizeError(
    `Expected the reference ${reference.source} to have ${wanted}, as ${picture.source}, but received ${found}.`,
  );
}

/** Channels one below the other. */
function stacked({ width, height, channels }: PictureChannels): {
  readonly width: number;
  readonly height: number;
  readonly pixels: Float32Array;
} {
  const pixels = new Float32Array(width * height * channels.length);
  channels.forEach((channel, k) => {
    pixels.set(channel, k * channel.length);
  });
  return { width, height: height * channels.length, pixels };
}
