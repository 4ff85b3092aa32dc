/** Noise of pictures: its estimated level, and pictures with noise of a known level. */
import { withWhiteNoise } from "../preprocessing/white-noise.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import {
  type PictureChannels,
  channelNoiseLevels,
  clippedPixels,
  estimateChannelNoise,
  overallNoiseLevel,
} from "./denoise-channels.js";

/** Grey levels from black to white: the unit of noise levels on the command line and in names. */
export const greyLevels = 255;

/** Noise level not worth removing, in grey levels: the rounding of 8-bit codes is as large. */
export const leastNoise = 0.5;

export interface PictureNoise {
  /** Standard deviation, in the units of the pixels. */
  readonly sigma: number;
  readonly seed: Seed;
  /** Name of the file without its folder, so a picture has the same noise in any folder. */
  readonly name: string;
}

/** Adds white noise to every channel, neither clipped nor rounded, as `--add-noise` does. */
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
  /** Standard deviation in each channel of the picture. */
  readonly overall: number;
  readonly isEstimated: boolean;
  readonly doubt?: NoiseDoubt | undefined;
}

/** Returns noise of level `sigma`, or an estimate, in which hardly any noise counts as none. */
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

/** Reason why an estimate of the noise may be wrong. */
export type NoiseDoubt =
  | { readonly kind: "few pixels"; readonly width: number; readonly height: number }
  /** `share` is the share of pixels that are black or white in some channel. */
  | { readonly kind: "clipped"; readonly share: number }
  /** Nothing in the picture looks like white noise: texture everywhere, or smoothed noise. */
  | { readonly kind: "texture" }
  /** JPEG has rounded most of the noise away or up. */
  | { readonly kind: "jpeg" };

/** Grey levels below which a doubt does not matter; clean pictures cause no warning. */
const doubtfulNoise = 1.5;
/** Smallest picture without doubt: a single edge may fill most of a smaller one. */
const leastPixels = 32 * 32;
/** Share of clipped pixels from which too little of a photograph is left (noise-level.ts). */
const mostClipped = 0.6;

/** Returns why the estimate `level` may be wrong. In few pixels noise may even go unnoticed. */
export function noiseDoubt(picture: PictureChannels, level: number): NoiseDoubt | undefined {
  const { width, height, channels } = picture;
  if (width * height < leastPixels) {
    const isConstant = channels.every((pixels) => pixels.every((value) => value === pixels[0]));
    return isConstant ? undefined : { kind: "few pixels", width, height };
  }
  if (level === 0) return undefined;
  const clipped = clippedPixels(picture);
  const share = clipped.reduce((sum, value) => sum + value, 0) / clipped.length;
  return share <= mostClipped ? undefined : { kind: "clipped", share };
}
