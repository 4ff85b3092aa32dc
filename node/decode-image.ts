import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { type DecodedImage, decodeIml } from "../src/images/decoded-image.js";
import { type Luminance, requireLuminance } from "../src/images/luminance.js";
import { decodePicture } from "./decode-picture.js";
import { failTo, requirePath } from "./files.js";

/**
 * Reads a picture: PNG, JPEG, WebP, TIFF, the other formats that sharp reads, or van Hateren's
 * `.iml`. The content tells the format, except for `.iml`, which the file name tells.
 *
 * `luminance` says how sRGB samples of 8 or 16 bits become one value from 0 to 1. Samples of
 * floating-point files and of `.iml` (divided by 65535) are already linear and stay as they are; if
 * there are three per pixel, `luminance` chooses their weights.
 *
 * Calls may overlap: libuv decodes pictures on its own threads.
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
  requirePath(path, 'decodeImage("photo.png", "linear")');
  requireLuminance(luminance);
  const bytes = await readFile(path).catch(failTo("read", path));
  return decodeBytes(bytes, path, luminance);
}

/** Decodes the bytes of a file. Errors name `path`, whose ending tells `.iml` files. */
export async function decodeBytes(
  bytes: Uint8Array,
  path: string,
  luminance: Luminance,
): Promise<DecodedImage> {
  requireBytes(bytes.length, path);
  if (isIml(path)) return decodeIml(bytes, path);
  try {
    return { ...(await decodePicture(bytes, luminance)), source: path };
  } catch (error) {
    throw pictureError(path, error);
  }
}

/** Throws if a file is empty. */
export function requireBytes(byteCount: number, path: string): void {
  if (byteCount > 0) return;
  throw new GaussianizeError("file-damaged", `Cannot read ${path}: it is empty.`);
}

/** Tells van Hateren's files by their ending: nothing in their content does. */
export function isIml(path: string): boolean {
  return extname(path).toLowerCase() === ".iml";
}

const unknownFormat = "contains unsupported image format";

/** Whether a decoder's error says that the first bytes belong to no known format. */
export function isUnknownFormat(error: unknown): boolean {
  return error instanceof Error && error.message.includes(unknownFormat);
}

/** Returns the sentence for an error of a decoder. */
export function pictureError(path: string, error: unknown): GaussianizeError {
  const reason = reasonOf(error);
  return new GaussianizeError("file-damaged", `Cannot read ${path} as a picture: ${reason}.`, {
    cause: error,
  });
}

/**
 * Turns a decoder's message into the end of a sentence: "Input file contains …" → "it has …".
 * Drops details, because libvips keeps one list of them for all pictures that are being decoded:
 * they may belong to another picture.
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
