/** How strong the noise of a picture is, and in which unit. */
import { channelNoiseLevels } from "../../src/index.js";
import type { Picture } from "../../node/index.js";
import { pictureRange } from "../../node/pictures/picture-range.js";
import { greyLevels } from "./options.js";

/** Below this, in grey levels, there is nothing to do: codes of 8 bits are as far from what they stand for. */
export const leastSigma = 0.5;

/**
 * From black to white. Of pictures that plainly count in something else (photons, or 12 bits of a camera in a file of 16) it is the
 * range of their values, so that noise levels and densities of patches mean the same for them.
 */
export function unitOf(picture: Picture): number {
  if (picture.bitDepth === 8) return 1;
  const { lowest, highest } = pictureRange(picture);
  const range = highest - lowest;
  const isGrey = lowest >= -1 && highest <= 2 && range >= 0.1;
  return isGrey || range === 0 ? 1 : range;
}

/** A noise level in grey levels, in the codes of the file, or in its values where they are floating point. */
export function sigmaInFile(sigma: number, unit: number, { bitDepth }: Picture): number {
  const largestCode = bitDepth === "float" ? 1 : 2 ** bitDepth - 1;
  return (sigma * unit * largestCode) / greyLevels;
}

/** In the units of the pixels; where they are estimated, channels with next to none have none. */
export function levelsOf(noisy: Picture, sigma: number | undefined): readonly number[] {
  if (sigma !== undefined) return channelNoiseLevels(noisy, sigma / greyLevels);
  const least = leastSigma / 2 / greyLevels;
  return channelNoiseLevels(noisy).map((level) => (level < least ? 0 : level));
}

/** Of fewer pixels, the median has a standard error of more than 7 %, and a single edge may be most of the picture. */
const leastPixels = 32 * 32;
/** Of the pixels; with less, what is left of a photograph suffices (noise-level.ts). */
const mostClipped = 0.6;

/** Why an estimate of the noise may be wrong, as a cause and a sentence. */
export function doubtOf(picture: Picture): readonly [cause: string, sentence: string] | undefined {
  const { width, height, source } = picture;
  const advice = "if you know it, give --sigma";
  if (width * height < leastPixels) {
    const what = `${width}×${height} pixels are few to estimate its noise from`;
    return ["few pixels", `${source}: ${what}; ${advice}.`];
  }
  const share = clippedShare(picture);
  if (share <= mostClipped) return undefined;
  const what = `${Math.floor(100 * share)} % of its pixels are clipped to black or white, so that its noise may be estimated too low`;
  return ["clipped", `${source}: ${what}; ${advice}.`];
}

/** Of the pixels, those with a channel that is exactly black (0) or white (1). */
function clippedShare({ channels }: Picture): number {
  const isEnd = (value: number): boolean => value === 0 || value === 1;
  let count = 0;
  for (let k = 0; k < channels[0].length; k++) {
    if (channels.some((pixels) => isEnd(pixels[k]))) count++;
  }
  return count / channels[0].length;
}
