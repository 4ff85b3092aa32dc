/**
 * Pictures of one channel, or of red, green and blue, by what denoises one grey image. Colours are
 * separated before: brightness and two differences are nearly uncorrelated in photographs, and
 * white noise stays uncorrelated, so that each is denoised by itself with the noise level that it
 * has. For noise of equal strength σ in red, green and blue these are σ/√3, σ and σ
 * (colour-decorrelation.ts).
 *
 * Each is moved to mid-grey for the denoiser, and back: differences lie around 0, and
 * floating-point pictures wherever they like, but densities of patches expect grey values. Within 0
 * to 1 the place matters little: 0.003 dB for photographs whose mean is moved by 0.2.
 */
import { expected } from "../errors.js";
import {
  decorrelateColours,
  noiseLevels,
  recorrelateColours,
} from "../images/colour-decorrelation.js";
import { type GreyImage, meanGrey, requirePixels } from "../images/grey-image.js";
import type { JpegBlocks } from "../images/jpeg-tables.js";
import { type NoiseEstimate, checkSigma, estimateNoise } from "./noise-level.js";

/** A picture of one or three channels, row by row. */
export interface PictureChannels {
  readonly width: number;
  readonly height: number;
  readonly channels: readonly Float32Array[];
  /** Quantisation of the JPEG file that the pixels come from, as they are stored there. */
  readonly jpeg?: JpegBlocks | undefined;
}

/**
 * Takes noise of standard deviation `sigma` out of an image; `channel` is 0 for grey and for
 * brightness, 1 and 2 for differences.
 */
export type GreyDenoiser = (noisy: GreyImage, sigma: number, channel: number) => Promise<GreyImage>;

const middle = 0.5;

/** Where a channel is exactly black (0) or white (1): files end there, noise does not. */
function clippedPixels({ channels }: PictureChannels): Uint8Array {
  const clipped = new Uint8Array(channels[0].length);
  for (const pixels of channels) {
    pixels.forEach((value, k) => {
      if (value === 0 || value === 1) clipped[k] = 1;
    });
  }
  return clipped;
}

/**
 * The standard deviations of the noise in the separated channels, one or three: of noise of
 * strength `sigma` in each channel of the picture, or, without it, estimated ({@link
 * estimateChannelNoise}).
 */
export function channelNoiseLevels(picture: PictureChannels, sigma?: number): readonly number[] {
  requireChannels(picture);
  if (sigma === undefined) return estimateChannelNoise(picture).map((estimate) => estimate.sigma);
  checkSigma(sigma);
  if (picture.channels.length === 1) return [sigma];
  // A grey picture in a file of colours has its noise three times: all of it is in the brightness.
  return isGrey(picture) ? [sigma, 0, 0] : noiseLevels([sigma, sigma, sigma]);
}

/**
 * The noise in the separated channels, estimated from each of them, away from what is exactly black
 * (0) or white (1). JPEG preserves the noise of luma best, so the noise of JPEG files is estimated
 * from it, assuming equally strong noise in red, green and blue.
 */
export function estimateChannelNoise(picture: PictureChannels): readonly NoiseEstimate[] {
  requireChannels(picture);
  const clipped = clippedPixels(picture);
  const { jpeg } = picture;
  const isColoured = picture.channels.length === 3 && !isGrey(picture);
  if (!jpeg) {
    // Of a grey picture in a file of colours, the differences hold rounding errors, not noise.
    const [brightness, ...differences] = separated(picture);
    return [
      estimateNoise(brightness, { clipped }),
      ...differences.map((image) =>
        isColoured ? estimateNoise(image, { clipped }) : { sigma: 0 },
      ),
    ];
  }
  const { sigma, ...doubt } = estimateNoise(lumaOf(picture), { clipped, jpeg });
  const inEach = isColoured ? sigma / lumaOfNoise : sigma;
  return channelNoiseLevels(picture, inEach).map((level) => ({ sigma: level, ...doubt }));
}

/** Y of JPEG files (ITU-R BT.601). */
const lumaWeights = [0.299, 0.587, 0.114] as const;
/** Standard deviation of Y, where red, green and blue have independent noise of 1. */
const lumaOfNoise = Math.sqrt(lumaWeights.reduce((sum, weight) => sum + weight * weight, 0));

function lumaOf({ width, height, channels }: PictureChannels): GreyImage {
  const [red, green, blue] = channels;
  if (channels.length === 1) return { width, height, pixels: red };
  const [r, g, b] = lumaWeights;
  const pixels = red.map((value, k) => r * value + g * green[k] + b * blue[k]);
  return { width, height, pixels };
}

/** Whether red, green and blue are the same. */
export function isGrey({ channels: [red, ...others] }: Pick<PictureChannels, "channels">): boolean {
  return others.every((pixels) => pixels.every((value, k) => value === red[k]));
}

/**
 * The strength of noise in each channel of a picture that has as much altogether as these levels of
 * its separated channels.
 */
export function overallNoiseLevel(levels: readonly number[]): number {
  if (levels.length === 1) return levels[0];
  if (levels.length !== 3) throw expected("levels", "hold 1 or 3 values", levels.length);
  const [brightness, first, second] = levels;
  return Math.sqrt((3 * (brightness * brightness) + first * first + second * second) / 3);
}

/**
 * The channels without their noise, `levels` being what {@link channelNoiseLevels} tells. One after
 * the other.
 */
export async function denoiseChannels(
  picture: PictureChannels,
  levels: readonly number[],
  denoise: GreyDenoiser,
): Promise<readonly Float32Array[]> {
  const images = separated(picture);
  if (levels.length !== images.length) {
    throw expected("levels", `hold a value for each of ${images.length} channels`, levels.length);
  }
  levels.forEach(checkSigma);
  const denoised: Float32Array[] = [];
  for (const [channel, image] of images.entries()) {
    const offset = middle - meanGrey(image);
    const estimate = await denoise(moved(image, offset), levels[channel], channel);
    denoised.push(moved(estimate, -offset).pixels);
  }
  return denoised.length === 1 ? denoised : recorrelateColours(denoised);
}

function separated(picture: PictureChannels): GreyImage[] {
  requireChannels(picture);
  const { width, height, channels } = picture;
  const all = channels.length === 1 ? channels : decorrelateColours(channels);
  return all.map((pixels) => ({ width, height, pixels }));
}

function requireChannels({ width, height, channels }: PictureChannels): void {
  if (channels.length !== 1 && channels.length !== 3) {
    throw expected("channels", "be one of grey, or red, green and blue", channels.length);
  }
  channels.forEach((pixels, k) => {
    requirePixels({ width, height, pixels }, `channel ${k}`);
  });
}

function moved(image: GreyImage, offset: number): GreyImage {
  return { ...image, pixels: image.pixels.map((value) => value + offset) };
}
