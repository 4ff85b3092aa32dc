/** Settings that turn the pixels of an image into samples; the model file keeps them. */
import { expected } from "../errors.js";
import type { DecodedImage, Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import type { Luminance } from "../images/luminance.js";
import { dequantize } from "../preprocessing/dequantize.js";
import { withWhiteNoise } from "../preprocessing/white-noise.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { PatchLayout } from "./patch-layout.js";

export interface ImageReading {
  /** One value per pixel, from 0 to 1. */
  readonly luminance: Luminance;
  /** Spreads the codes of pixels evenly over their intervals (preprocessing/dequantize.ts). */
  readonly dequantize: boolean;
  /**
   * Level of the white noise that is added to the pixels, for a density of noisy patches; default
   * 0.
   */
  readonly noiseLevel?: number;
  readonly layout: PatchLayout;
}

/**
 * Protocols of the literature, which make likelihoods comparable: grey values 0 … 255 with uniform
 * noise in [0, 1), divided by 256, as 8×8 patches.
 *
 *   bsds63   without the mean and the last pixel (Uria, Murray & Larochelle 2013), in nats
 *   bsds64   unchanged (Theis & Bethge 2015, middle column of table 1), in bits per pixel
 */
export const protocols = {
  bsds63: { luminance: "grey", dequantize: true, layout: { size: 8, removeMean: true } },
  bsds64: { luminance: "grey", dequantize: true, layout: { size: 8, removeMean: false } },
} as const satisfies Readonly<Record<string, ImageReading>>;

export type ProtocolName = keyof typeof protocols;

export function protocolOf(name: string): ImageReading {
  if (Object.hasOwn(protocols, name)) return protocols[name as ProtocolName];
  throw expected("the protocol", `be one of ${Object.keys(protocols).join(", ")}`, name);
}

/** Returns the description in the model file, under `patch` and `preprocessing`. */
export function aboutReading(reading: ImageReading) {
  const { luminance, dequantize, noiseLevel = 0, layout } = reading;
  const { size, removeMean } = layout;
  // With their mean, the values of patches are those of pixels.
  const range = removeMean ? {} : { black: 0, white: 1 };
  const dequantization: "uniform" | "none" = dequantize ? "uniform" : "none";
  return {
    patch: { width: size, height: size, luminance, removeMean, ...range },
    preprocessing: { dequantization, ...(noiseLevel > 0 && { noiseLevel }) },
  };
}

export interface AsReadOptions {
  /** Seed of the noise, default 1. */
  readonly seed?: Seed;
  /** Number of the round, default 0; each has different noise. */
  readonly round?: number;
}

/** An image that is ready for patches. Its codes are still known, for densities in bits. */
export type LoadedImage = GreyImage & Quantization;

/**
 * Returns a decoded image as a model reads it: with its codes spread over their intervals and with
 * noise, if the reading asks for them. The noise depends on the seed, the round and the `source` of
 * the image, its name without a folder: it is the same in any folder, in Node and in browsers.
 */
export function imageAsRead(
  image: DecodedImage,
  { dequantize: isSpread, noiseLevel = 0 }: ImageReading,
  { seed = 1, round = 0 }: AsReadOptions = {},
): LoadedImage {
  const { width, height, levels, spacing, source: name } = image;
  const pixels = isSpread
    ? dequantize(image, createRandom(seed, "noise", name, round))
    : image.pixels;
  if (noiseLevel === 0) return { width, height, pixels, levels, spacing };
  const noise = createRandom(seed, "white noise", name, round);
  // Pixels with noise are no longer codes.
  const codes = { levels: 0, spacing: "none" } as const;
  return { width, height, pixels: withWhiteNoise(pixels, noiseLevel, noise), ...codes };
}
