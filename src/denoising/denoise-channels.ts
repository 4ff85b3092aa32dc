/**
 * Denoises pictures of one channel, or of red, green and blue, with a denoiser of grey images.
 * Colours are first separated into brightness and two differences, which are nearly uncorrelated in
 * photographs and keep white noise uncorrelated. So each is denoised separately, with its own noise
 * level: σ/√3, σ and σ for noise of level σ in red, green and blue (colour-decorrelation.ts).
 *
 * The mean of each channel is moved to mid-grey and back, because densities of patches expect grey
 * values: differences lie around 0, and floating-point pictures anywhere. Within 0 to 1 the offset
 * matters little: 0.003 dB for photographs whose mean is moved by 0.2.
 */
import { expected } from "../errors.js";
import {
  decorrelateColours,
  noiseLevels,
  recorrelateColours,
} from "../images/colour-decorrelation.js";
import { type GreyImage, type ImageSize, requirePixels } from "../images/grey-image.js";
import type { JpegBlocks } from "../images/jpeg-tables.js";
import { meanOf } from "../numbers/means.js";
import { type NoiseEstimate, checkSigma, estimateNoise } from "./noise-level.js";

/** A picture of one or three channels, row by row. */
export interface PictureChannels extends ImageSize {
  readonly channels: readonly Float32Array[];
  /** Quantisation of the JPEG file that the pixels come from, as stored there. */
  readonly jpeg?: JpegBlocks | undefined;
}

/**
 * Removes noise of standard deviation `sigma` from an image. `channel` is 0 for grey and for
 * brightness, 1 and 2 for colour differences.
 */
export type GreyDenoiser = (noisy: GreyImage, sigma: number, channel: number) => Promise<GreyImage>;

const middle = 0.5;

/** Marks pixels with a channel that is exactly black (0) or white (1), where files clip noise. */
export function clippedPixels({ channels }: PictureChannels): Uint8Array {
  const clipped = new Uint8Array(channels[0].length);
  for (const pixels of channels) {
    pixels.forEach((value, k) => {
      if (value === 0 || value === 1) clipped[k] = 1;
    });
  }
  return clipped;
}

/**
 * Returns the noise levels in the separated channels, one or three, for noise of level `sigma` in
 * each channel of the picture. Without `sigma` they are estimated ({@link estimateChannelNoise}).
 */
export function channelNoiseLevels(picture: PictureChannels, sigma?: number): readonly number[] {
  requireChannels(picture);
  if (sigma === undefined) return estimateChannelNoise(picture).map((estimate) => estimate.sigma);
  checkSigma(sigma);
  if (picture.channels.length === 1) return [sigma];
  // Three equal channels have equal noise: all of it is in the brightness.
  return isGrey(picture) ? [sigma, 0, 0] : noiseLevels([sigma, sigma, sigma]);
}

/**
 * Estimates the noise in each separated channel, away from clipped pixels. For JPEG files, it is
 * estimated from luma, which JPEG preserves best, assuming equal noise in red, green and blue.
 */
export function estimateChannelNoise(picture: PictureChannels): readonly NoiseEstimate[] {
  requireChannels(picture);
  const clipped = clippedPixels(picture);
  const { jpeg } = picture;
  const isColoured = picture.channels.length === 3 && !isGrey(picture);
  if (!jpeg) {
    // In a grey picture with three channels, the differences hold rounding errors, not noise.
    return separatedChannels(picture).map((image, k) =>
      k === 0 || isColoured ? estimateNoise(image, { clipped }) : { sigma: 0 },
    );
  }
  const { sigma, ...doubt } = estimateNoise(lumaOf(picture), { clipped, jpeg });
  const inEach = isColoured ? sigma / lumaOfNoise : sigma;
  return channelNoiseLevels(picture, inEach).map((level) => ({ sigma: level, ...doubt }));
}

/** Y of JPEG files (ITU-R BT.601). */
const lumaWeights = [0.299, 0.587, 0.114] as const;
/** Standard deviation of Y for independent noise of level 1 in red, green and blue. */
const lumaOfNoise = Math.sqrt(lumaWeights.reduce((sum, weight) => sum + weight * weight, 0));

function lumaOf({ width, height, channels }: PictureChannels): GreyImage {
  const [red, green, blue] = channels;
  if (channels.length === 1) return { width, height, pixels: red };
  const [r, g, b] = lumaWeights;
  const pixels = red.map((value, k) => r * value + g * green[k] + b * blue[k]);
  return { width, height, pixels };
}

/** Tells whether all channels are equal. */
export function isGrey({ channels: [red, ...others] }: Pick<PictureChannels, "channels">): boolean {
  return others.every((pixels) => pixels.every((value, k) => value === red[k]));
}

/** Returns the level of equal noise in each channel that has the same total as these levels. */
export function overallNoiseLevel(levels: readonly number[]): number {
  if (levels.length === 1) return levels[0];
  if (levels.length !== 3) throw expected("levels", "hold 1 or 3 values", levels.length);
  const [brightness, first, second] = levels;
  return Math.sqrt((3 * (brightness * brightness) + first * first + second * second) / 3);
}

/** Denoises one separated channel after another; `levels` are from {@link channelNoiseLevels}. */
export async function denoiseChannels(
  picture: PictureChannels,
  levels: readonly number[],
  denoise: GreyDenoiser,
): Promise<readonly Float32Array[]> {
  const images = separatedChannels(picture);
  if (levels.length !== images.length) {
    throw expected("levels", `hold a value for each of ${images.length} channels`, levels.length);
  }
  levels.forEach(checkSigma);
  const denoised: Float32Array[] = [];
  for (let channel = 0; channel < levels.length; channel++) {
    // Taken out of the list, because each channel of a large picture is large, too.
    const image = images.shift() as GreyImage;
    const offset = middle - meanOf(image.pixels);
    const estimate = await denoise(moved(image, offset), levels[channel], channel);
    denoised.push(moved(estimate, -offset).pixels);
  }
  return denoised.length === 1 ? denoised : recorrelateColours(denoised);
}

/** Returns grey, or brightness and two colour differences. */
export function separatedChannels(picture: PictureChannels): GreyImage[] {
  requireChannels(picture);
  const { width, height, channels } = picture;
  const all = channels.length === 1 ? channels : decorrelateColours(channels);
  return all.map((pixels) => ({ width, height, pixels }));
}

/** Requires one or three channels with one value for each pixel. */
export function requireChannels(picture: PictureChannels): void {
  const given = picture as Partial<PictureChannels> | null | undefined;
  if (!Array.isArray(given?.channels)) {
    const rule = "be a picture { width, height, channels }, as readPicture returns it,";
    throw expected("the picture", rule, picture);
  }
  const { width, height, channels } = picture;
  if (channels.length !== 1 && channels.length !== 3) {
    throw expected("channels", "be one (grey) or three (red, green, blue)", channels.length);
  }
  channels.forEach((pixels, k) => {
    requirePixels({ width, height, pixels }, `channel ${k}`);
  });
}

function moved(image: GreyImage, offset: number): GreyImage {
  return { ...image, pixels: image.pixels.map((value) => value + offset) };
}
