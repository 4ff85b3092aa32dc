/** Images as decoders return them, in Node and in browsers. */
import { expected } from "../errors.js";
import type { GreyImage, ImageSize } from "./grey-image.js";

/** The codes that the pixels of a picture had before they became values from 0 to 1. */
export interface Quantization {
  /** Number of codes: 256, 65536 …; Infinity for floating point. */
  readonly levels: number;
  /**
   * Spacing of the codes among the values:
   *
   *   even   equal steps: grey values of an sRGB picture, or the intensities of `.iml`
   *   srgb   steps of the sRGB curve: linear light of a picture whose codes were even before
   *   none   floating point
   */
  readonly spacing: "even" | "srgb" | "none";
}

/**
 * A picture file as one value per pixel, from 0 to 1; floating-point files may exceed this range.
 */
export interface DecodedImage extends GreyImage, Quantization {
  /** Bits per decoded sample; 32 means floating point. */
  readonly depth: 8 | 16 | 32;
  /** Number of colour channels, without alpha. */
  readonly channels: 1 | 3;
  /** Name of the file. */
  readonly source: string;
}

const imlWidth = 1536;
const imlHeight = 1024;
const imlBytes = 2 * imlWidth * imlHeight;

/**
 * Pixels dropped at each edge. The two outermost columns hold one constant, and the outermost rows
 * deviate: neither belongs to the scene.
 */
const imlBorder = 2;

/**
 * Returns the size of the picture in an `.iml` file of `bytes` bytes, without its border. `name`
 * names the file in errors.
 */
export function vanHaterenSize(bytes: number, name: string): ImageSize {
  if (bytes !== imlBytes) {
    const rule = `have ${imlBytes} bytes (${imlWidth}×${imlHeight} pixels of 16 bits)`;
    throw expected(name, rule, bytes);
  }
  return { width: imlWidth - 2 * imlBorder, height: imlHeight - 2 * imlBorder };
}

/**
 * Decodes a raw `.iml` file of van Hateren & van der Schaaf (1998): no header, rows from the top,
 * 16 bits per pixel, linear in intensity. The largest count that 16 bits hold becomes 1 in all
 * images; the calibration factor of each image is ignored.
 */
export function decodeIml(bytes: Uint8Array, source: string): DecodedImage {
  const { width, height } = vanHaterenSize(bytes.length, source);
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const start = 2 * ((row + imlBorder) * imlWidth + imlBorder);
    for (let column = 0; column < width; column++) {
      const at = start + 2 * column;
      // The most significant byte comes first.
      pixels[row * width + column] = (256 * bytes[at] + bytes[at + 1]) / 65535;
    }
  }
  return { width, height, pixels, depth: 16, levels: 65536, spacing: "even", channels: 1, source };
}
