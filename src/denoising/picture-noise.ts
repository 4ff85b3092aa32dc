/** How strong the noise of a picture is, and pictures with noise of a known strength. */
import { withWhiteNoise } from "../preprocessing/white-noise.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { type PictureChannels, channelNoiseLevels } from "./denoise-channels.js";

/** From black to white: what noise levels of people, of the command and of the names of priors count in. */
export const greyLevels = 255;

/** Below this, in grey levels, there is nothing to do: codes of 8 bits are as far from what they stand for. */
export const leastNoise = 0.5;

export interface PictureNoise {
  /** Standard deviation, in the units of the pixels. */
  readonly sigma: number;
  readonly seed: Seed;
  /** Of the picture's file, without its folder: the same picture has the same noise wherever it lies. */
  readonly name: string;
}

/** White noise in every channel, neither clipped nor rounded: that of `gaussianize denoise --add-noise`. */
export function withPictureNoise(
  { width, height, channels }: PictureChannels,
  { sigma, seed, name }: PictureNoise,
): PictureChannels {
  const noisy = channels.map((pixels, k) =>
    withWhiteNoise(pixels, sigma, createRandom(seed, "white noise", name, k)),
  );
  return { width, height, channels: noisy };
}

/** {@link channelNoiseLevels}; where they are estimated, channels with next to none have none. */
export function levelsToRemove(picture: PictureChannels, sigma?: number): readonly number[] {
  if (sigma !== undefined) return channelNoiseLevels(picture, sigma);
  const least = leastNoise / 2 / greyLevels;
  return channelNoiseLevels(picture).map((level) => (level < least ? 0 : level));
}

/** Why an estimate of the noise may be wrong. */
export type NoiseDoubt =
  | { readonly kind: "few pixels"; readonly width: number; readonly height: number }
  /** `share`: of the pixels, those that are black or white in some channel. */
  | { readonly kind: "clipped"; readonly share: number };

/** Of fewer pixels, the median has a standard error of more than 7 %, and a single edge may be most of the picture. */
const leastPixels = 32 * 32;
/** Of the pixels; with less, what is left of a photograph suffices (noise-level.ts). */
const mostClipped = 0.6;

export function noiseDoubt(picture: PictureChannels): NoiseDoubt | undefined {
  const { width, height } = picture;
  if (width * height < leastPixels) return { kind: "few pixels", width, height };
  const share = clippedShare(picture);
  return share <= mostClipped ? undefined : { kind: "clipped", share };
}

/** Of the pixels, those with a channel that is exactly black (0) or white (1). */
function clippedShare({ channels }: PictureChannels): number {
  const isEnd = (value: number): boolean => value === 0 || value === 1;
  let count = 0;
  for (let k = 0; k < channels[0].length; k++) {
    if (channels.some((pixels) => isEnd(pixels[k]))) count++;
  }
  return count / channels[0].length;
}
