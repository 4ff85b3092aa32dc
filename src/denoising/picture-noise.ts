/** How strong the noise of a picture is, and pictures with noise of a known strength. */
import { withWhiteNoise } from "../preprocessing/white-noise.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import {
  type PictureChannels,
  channelNoiseLevels,
  estimateChannelNoise,
  overallNoiseLevel,
} from "./denoise-channels.js";

/**
 * From black to white: what noise levels of people, of the command and of the names of priors count
 * in.
 */
export const greyLevels = 255;

/**
 * Below this, in grey levels, there is nothing to do: codes of 8 bits are as far from what they
 * stand for.
 */
export const leastNoise = 0.5;

export interface PictureNoise {
  /** Standard deviation, in the units of the pixels. */
  readonly sigma: number;
  readonly seed: Seed;
  /**
   * Of the picture's file, without its folder: the same picture has the same noise wherever it
   * lies.
   */
  readonly name: string;
}

/**
 * White noise in every channel, neither clipped nor rounded: that of `gaussianize denoise
 * --add-noise`.
 */
export function withPictureNoise(
  { width, height, channels }: PictureChannels,
  { sigma, seed, name }: PictureNoise,
): PictureChannels {
  const noisy = channels.map((pixels, k) =>
    withWhiteNoise(pixels, sigma, createRandom(seed, "white noise", name, k)),
  );
  return { width, height, channels: noisy };
}

export interface NoiseToRemove {
  /** Standard deviations in the separated channels ({@link channelNoiseLevels}). */
  readonly levels: readonly number[];
  /** In each channel of the picture. */
  readonly overall: number;
  readonly isEstimated: boolean;
  /** Why an estimate may be wrong. */
  readonly doubt?: NoiseDoubt | undefined;
}

/** Noise of strength `sigma`, or what is estimated: channels with next to none have none then. */
export function noiseToRemove(picture: PictureChannels, sigma?: number): NoiseToRemove {
  if (sigma !== undefined) {
    return { levels: channelNoiseLevels(picture, sigma), overall: sigma, isEstimated: false };
  }
  const estimates = estimateChannelNoise(picture);
  const least = leastNoise / 2 / greyLevels;
  const levels = estimates.map((estimate) => (estimate.sigma < least ? 0 : estimate.sigma));
  const overall = overallNoiseLevel(levels);
  // Brightness decides: errors in colour differences are less visible.
  const kind = levels[0] < doubtfulNoise / greyLevels ? undefined : estimates[0].doubt;
  const doubt = noiseDoubt(picture, overall) ?? (kind && { kind });
  return { levels, overall, isEstimated: true, doubt };
}

/** Why an estimate of the noise may be wrong. */
export type NoiseDoubt =
  | { readonly kind: "few pixels"; readonly width: number; readonly height: number }
  /** `share`: of the pixels, those that are black or white in some channel. */
  | { readonly kind: "clipped"; readonly share: number }
  /**
   * Nothing in the picture looks like white noise: it is full of texture, or its noise was
   * smoothed.
   */
  | { readonly kind: "texture" }
  /** JPEG has rounded most of the noise away or up. */
  | { readonly kind: "jpeg" };

/** Grey levels below which a doubt does not matter, so that clean pictures cause no warning. */
const doubtfulNoise = 1.5;
/** In a smaller picture a single edge may fill most of it. */
const leastPixels = 32 * 32;
/** Of the pixels; with less, what is left of a photograph suffices (noise-level.ts). */
const mostClipped = 0.6;

/** Why the estimate `level` may be wrong. In few pixels noise may even go unnoticed. */
export function noiseDoubt(picture: PictureChannels, level: number): NoiseDoubt | undefined {
  const { width, height } = picture;
  if (width * height < leastPixels) {
    return isConstant(picture) ? undefined : { kind: "few pixels", width, height };
  }
  if (level === 0) return undefined;
  const share = clippedShare(picture);
  return share <= mostClipped ? undefined : { kind: "clipped", share };
}

function isConstant({ channels }: PictureChannels): boolean {
  return channels.every((pixels) => pixels.every((value) => value === pixels[0]));
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
