/**
 * From the pixels of an image to samples: all that must be known of it, kept in the model file so
 * that nobody has to say it twice.
 */
import { expected } from "../errors.js";
import type { DecodedImage, Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import type { Luminance } from "../images/luminance.js";
import { dequantize } from "../preprocessing/dequantize.js";
import { withWhiteNoise } from "../preprocessing/white-noise.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { PatchLayout } from "./patch-layout.js";

/** What the file of a model says of it, under `patch` and `preprocessing`. */
export interface AboutReading {
  readonly patch: {
    readonly width: number;
    readonly height: number;
    readonly luminance: Luminance;
    readonly removeMean: boolean;
    /** Where patches keep their mean, values are those of pixels. */
    readonly black?: number;
    readonly white?: number;
  };
  readonly preprocessing: {
    readonly dequantization: "uniform" | "none";
    readonly noiseLevel?: number;
  };
}

export interface ImageReading {
  /** One value a pixel, from 0 to 1. */
  readonly luminance: Luminance;
  /**
   * Whether the codes of a pixel are spread evenly over their intervals
   * (preprocessing/dequantize.ts).
   */
  readonly dequantize: boolean;
  /**
   * Standard deviation of the white noise that is added to the pixels, for a density of noisy
   * patches; left out: none.
   */
  readonly noiseLevel?: number;
  readonly layout: PatchLayout;
}

/**
 * What the literature agreed on, so that likelihoods can be compared: grey values 0 … 255 with
 * uniform noise in [0, 1), divided by 256, as 8×8 patches.
 *
 *   bsds63   without their mean and the last pixel (Uria, Murray & Larochelle 2013), in nats
 *   bsds64   as they are (Theis & Bethge 2015, middle column of table 1), in bits per pixel
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

export function aboutReading(reading: ImageReading): AboutReading {
  const { luminance, dequantize, noiseLevel = 0, layout } = reading;
  const { size, removeMean } = layout;
  const range = removeMean ? {} : { black: 0, white: 1 };
  return {
    patch: { width: size, height: size, luminance, removeMean, ...range },
    preprocessing: {
      dequantization: dequantize ? "uniform" : "none",
      ...(noiseLevel > 0 ? { noiseLevel } : {}),
    },
  };
}

export interface AsReadOptions {
  /** Of the noise, default 1. */
  readonly seed?: Seed;
  /** Other noise in each, default 0. */
  readonly round?: number;
}

/** An image that is ready for patches; its codes are known still, for densities in bits. */
export type LoadedImage = GreyImage & Quantization;

/**
 * A decoded image as a model reads it: codes spread over their intervals, and noise, where the
 * reading wants that. The noise is that of the seed, the round and the `source` of the image: its
 * name without a folder, for the same noise wherever it lies, in Node and in browsers.
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
    width,
    height,
    levels: 0,
    spacing: "none",
    pixels: withWhiteNoise(pixels, noiseLevel, noise),
  };
}
