import type { DecodedImage, Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import { dequantize } from "../preprocessing/dequantize.js";
import { withWhiteNoise } from "../preprocessing/white-noise.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { ImageReading } from "./image-reading.js";

export interface AsReadOptions {
  /** Of the noise, default 1. */
  readonly seed?: Seed;
  /** Other noise in each, default 0. */
  readonly round?: number;
}

/** An image that is ready for patches; its codes are known still, for densities in bits. */
export type LoadedImage = GreyImage & Quantization;

/**
 * A decoded image as a model reads it: codes spread over their intervals, and noise, where the reading wants that. The noise is that of the
 * seed, the round and the `source` of the image: its name without a folder, for the same noise wherever it lies, in Node and in browsers.
 */
export function imageAsRead(
  image: DecodedImage,
  { dequantize: isSpread, noiseLevel = 0 }: ImageReading,
  { seed = 1, round = 0 }: AsReadOptions = {},
): LoadedImage {
  const { width, height, levels, spacing } = image;
  const { source: name } = image;
  const pixels = isSpread
    ? dequantize(image, createRandom(seed, "noise", name, round))
    : image.pixels;
  if (noiseLevel === 0) return { width, height, pixels, levels, spacing };
  const noise = createRandom(seed, "white noise", name, round);
  // With noise on them, pixels are no longer codes.
  return {
    ...{ width, height, levels: 0, spacing: "none" },
    pixels: withWhiteNoise(pixels, noiseLevel, noise),
  };
}
