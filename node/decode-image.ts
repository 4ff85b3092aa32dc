import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { GaussianizeError, expected } from "../src/errors.js";
import type { GreyImage } from "../src/images/grey-image.js";
import type { Luminance } from "../src/images/luminance.js";
import { decodeVanHateren } from "../src/images/van-hateren.js";
import { decodePicture } from "./decode-picture.js";
import { fileError } from "./file-errors.js";

/** A picture file as one value a pixel, and what is to be known of its quantisation. */
export interface DecodedImage extends GreyImage {
  /** The value that the brightest code has: 1, but 65535 for `.iml`. Floating-point files may go beyond. */
  readonly white: number;
  /** Bits a sample took when it was decoded; 32 means floating point. */
  readonly depth: 8 | 16 | 32;
  /** How many values a sample could take in the file: 256, 65536 …; Infinity for floating point. */
  readonly levels: number;
  /** Channels of the colour, without alpha. */
  readonly channels: 1 | 3;
  /** The file it came from. */
  readonly source: string;
}

/**
 * Reads a picture: PNG, JPEG, WebP, TIFF (and what else sharp knows by its content), or van Hateren's `.iml`, which
 * only the ending tells.
 *
 * `luminance` says how sRGB samples of 8 or 16 bits become one value from 0 to 1. Samples of floating-point files and
 * of `.iml` are taken as they stand, since no curve is known of them; for three of them it chooses the weights.
 *
 * Calls may overlap: pictures are decoded on the threads of libuv.
 */
export async function decodeImage(path: string, luminance: Luminance): Promise<DecodedImage> {
  if (!["grey", "linear"].includes(luminance)) {
    throw expected("luminance", 'be "grey" or "linear"', luminance);
  }
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  if (bytes.length === 0) throw new GaussianizeError(`Cannot read ${path}: it is empty.`);
  if (extname(path).toLowerCase() === ".iml") return decodeIml(bytes, path);
  try {
    return { ...(await decodePicture(bytes, luminance)), source: path };
  } catch (error) {
    const reason = reasonOf(error);
    throw new GaussianizeError(`Cannot read ${path} as a picture: ${reason}.`, { cause: error });
  }
}

function decodeIml(bytes: Uint8Array, path: string): DecodedImage {
  const { width, height, pixels, largestPossible: white } = decodeVanHateren(bytes, path);
  const levels = white + 1;
  return { width, height, pixels, white, depth: 16, levels, channels: 1, source: path };
}

/** What the decoders say, in words that continue a sentence: "Input buffer has corrupt header: …\n…" → "it has …". */
function reasonOf(error: unknown): string {
  const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line
    .replace(/^Input buffer /i, "it ")
    .replace(/^Input image exceeds pixel limit/, "it has more than 268 megapixels")
    .replace(
      /contains unsupported image format/,
      "has no format that is known (PNG, JPEG, WebP, TIFF …)",
    )
    .replace(/[.:;\s]+$/, "");
}
