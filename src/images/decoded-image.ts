/** What decoders give, in Node and in browsers. */
import type { GreyImage } from "./grey-image.js";
import { decodeVanHateren } from "./van-hateren.js";

/** The codes that the pixels of a picture had before they became values from 0 to 1. */
export interface Quantization {
  /** How many there were: 256, 65536 …; Infinity for floating point. */
  readonly levels: number;
  /**
   * Where they lie among the values:
   *
   *   even   evenly: grey values of an sRGB picture, or the intensities of `.iml`
   *   srgb   as the sRGB curve puts them: linear light of a picture whose codes were even before
   *   none   floating point has none
   */
  readonly spacing: "even" | "srgb" | "none";
}

/**
 * A picture file as one value a pixel from 0 to 1 (floating-point files may go beyond), and what is
 * known of its codes.
 */
export interface DecodedImage extends GreyImage, Quantization {
  /** Bits a sample took when it was decoded; 32 means floating point. */
  readonly depth: 8 | 16 | 32;
  /** Channels of the colour, without alpha. */
  readonly channels: 1 | 3;
  /** The file it came from. */
  readonly source: string;
}

/** The bytes of an `.iml` file: the largest count that 16 bits hold is 1, for all images alike. */
export function decodeIml(bytes: Uint8Array, source: string): DecodedImage {
  const { width, height, pixels, largestPossible } = decodeVanHateren(bytes, source);
  for (let k = 0; k < pixels.length; k++) pixels[k] /= largestPossible;
  const levels = largestPossible + 1;
  return { width, height, pixels, depth: 16, levels, spacing: "even", channels: 1, source };
}
