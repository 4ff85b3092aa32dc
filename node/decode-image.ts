import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { type DecodedImage, decodeIml } from "../src/images/decoded-image.js";
import { type Luminance, requireLuminance } from "../src/images/luminance.js";
import { decodePicture } from "./decode-picture.js";
import { fileError } from "./file-errors.js";

export type { DecodedImage };

/**
 * Reads a picture: PNG, JPEG, WebP, TIFF (and what else sharp knows by its content), or van
 * Hateren's `.iml`, which only the ending tells.
 *
 * `luminance` says how sRGB samples of 8 or 16 bits become one value from 0 to 1. Samples of
 * floating-point files and of `.iml` (divided by 65535) are taken as they stand, since they have no
 * curve; for three of them it chooses the weights.
 *
 * Calls may overlap: pictures are decoded on the threads of libuv.
 *
 * @example
 * ```js
 * import { decodeImage, embeddedPhotographs } from "gaussianize/node";
 *
 * const [{ path }] = embeddedPhotographs();
 * const { width, height, pixels } = await decodeImage(path, "linear");
 * console.log(pixels.length === width * height); // true
 * ```
 */
export async function decodeImage(path: string, luminance: Luminance): Promise<DecodedImage> {
  requireLuminance(luminance);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  return decodeBytes(bytes, path, luminance);
}

/** The same for the bytes of a file; `path` is what sentences call it, and its ending counts. */
export async function decodeBytes(
  bytes: Uint8Array,
  path: string,
  luminance: Luminance,
): Promise<DecodedImage> {
  if (bytes.length === 0)
    throw new GaussianizeError("file-damaged", `Cannot read ${path}: it is empty.`);
  if (isIml(path)) return decodeIml(bytes, path);
  try {
    return { ...(await decodePicture(bytes, luminance)), source: path };
  } catch (error) {
    throw pictureError(path, error);
  }
}

/** Whether the ending says that a file is one of van Hateren's, which nothing else tells. */
export function isIml(path: string): boolean {
  return extname(path).toLowerCase() === ".iml";
}

const unknownFormat = "contains unsupported image format";

/**
 * Whether a decoder's error says that the first bytes are of no picture, so that more of them would
 * change nothing.
 */
export function isUnknownFormat(error: unknown): boolean {
  return error instanceof Error && error.message.includes(unknownFormat);
}

/** The sentence for what a decoder threw. */
export function pictureError(path: string, error: unknown): GaussianizeError {
  const reason = reasonOf(error);
  return new GaussianizeError("file-damaged", `Cannot read ${path} as a picture: ${reason}.`, {
    cause: error,
  });
}

/**
 * What the decoders say, in words that continue a sentence: "Input file contains …" → "it has …".
 * Their details are left out, since they may be those of another picture: libvips keeps them in one
 * place for all that are decoded at once.
 */
function reasonOf(error: unknown): string {
  const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line
    .replace(/^Input (buffer|file) /i, "it ")
    .replace(/^.*out of memory.*/, "there is not enough memory")
    .replace(
      /^(it has corrupt header|Warning treated as error|\w+: ).*/,
      "it is damaged or incomplete",
    )
    .replace(/^Input image exceeds pixel limit/, "it has more than 268 megapixels")
    .replace(unknownFormat, "has no format that is known (PNG, JPEG, WebP, TIFF …)")
    .replace(/[.:;\s]+$/, "");
}
