import type { PictureChannels } from "../src/denoising/denoise-channels.js";
import { GaussianizeError } from "../src/errors.js";
import { type DecodedImage, decodeIml } from "../src/images/decoded-image.js";
import type { ImageSize } from "../src/images/grey-image.js";
import { isJpegTurned, jpegBlocksOf } from "../src/images/jpeg-tables.js";
import { type Luminance, luminancePixels, requireLuminance } from "../src/images/luminance.js";
import { type PictureHeader, pictureHeader, requireFew } from "./picture-header.js";

export interface ReadPictureOptions {
  /** Largest number of pixels, checked before decoding if possible; default: no limit. */
  readonly mostPixels?: number;
}

/**
 * Reads a picture with the browser's decoders, in a page or a worker, or one of van Hateren's files
 * if the name ends in `.iml`. The values are those of Node's `decodeImage`, with three exceptions:
 * 16 bits are reduced to 8, `levels` is 256 even if a file has fewer, and colour profiles are
 * ignored.
 *
 * @example
 * ```js
 * import { decodeImage } from "gaussianize/browser";
 *
 * const [file] = document.querySelector("input").files;
 * const { width, height, pixels } = await decodeImage(file, "linear");
 * ```
 */
export async function decodeImage(
  blob: Blob,
  luminance: Luminance,
  { mostPixels = Infinity }: ReadPictureOptions = {},
): Promise<DecodedImage> {
  requireLuminance(luminance);
  const { source, name } = namesOf(blob);
  requireBytes(blob.size, name);
  if (isIml(source)) return decodeIml(new Uint8Array(await blob.arrayBuffer()), source);
  const header = pictureHeader(new Uint8Array(await blob.arrayBuffer()));
  if (header) requireFew(header, name, mostPixels);
  const bitmap = await decodeBitmap(blob, name);
  try {
    const { width, height } = bitmap;
    requireFew(bitmap, name, mostPixels);
    const samples = bitmapSamples(bitmap, name);
    const pixels = luminancePixels(luminance, samples, 4);
    const spacing = luminance === "linear" ? "srgb" : "even";
    const channels = isGrey(samples) ? 1 : 3;
    return { width, height, pixels, depth: 8, levels: 256, spacing, channels, source };
  } finally {
    bitmap.close();
  }
}

/** Names of a file: `source` is "" for a blob without a name, `name` is for errors. */
function namesOf(blob: Blob): { readonly source: string; readonly name: string } {
  const source = blob instanceof File ? blob.name : "";
  return { source, name: source === "" ? "the picture" : source };
}

/** Throws if a file is empty. */
export function requireBytes(byteCount: number, name: string): void {
  if (byteCount > 0) return;
  throw new GaussianizeError("file-damaged", `Cannot read ${name}: it is empty.`);
}

/** Tells van Hateren's files by their ending: nothing in their content does. */
export function isIml(name: string): boolean {
  return /\.iml$/i.test(name);
}

/** Whether the colours of all pixels are grey: browsers give every picture four channels. */
export function isGrey(samples: Uint8Array | Uint8ClampedArray): boolean {
  for (let at = 0; at < samples.length; at += 4) {
    if (samples[at] !== samples[at + 1] || samples[at] !== samples[at + 2]) return false;
  }
  return true;
}

/** A picture with its stored colours: codes divided by 255. */
export interface BrowserPicture extends PictureChannels {
  /** Opacity from 0 to 1, not multiplied into the channels; null if all pixels are opaque. */
  readonly alpha: Float32Array | null;
  /** Whether the file has more than the 8 bits that browsers return. */
  readonly isReduced: boolean;
  /** Name of the file. */
  readonly source: string;
}

/**
 * Reads a picture with all of its channels, in a page or a worker. For 8-bit PNG files the values
 * are those of Node's `readPicture`. 16 bits are reduced to 8, pictures are rotated by their
 * orientation, and JPEG decoders may differ in the last digit.
 *
 * @throws GaussianizeError unless the file holds exactly one grey or RGB picture, with or without
 *   alpha
 *
 * @example
 * ```js
 * import { readPicture } from "gaussianize/browser";
 *
 * const { channels } = await readPicture(await (await fetch("photo.png")).blob());
 * ```
 */
export async function readPicture(
  blob: Blob,
  { mostPixels = Infinity }: ReadPictureOptions = {},
): Promise<BrowserPicture> {
  const { source, name } = namesOf(blob);
  requireBytes(blob.size, name);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const header = pictureHeader(bytes);
  const jpeg = isJpegTurned(bytes) ? undefined : jpegBlocksOf(bytes);
  if (header) requireReadable(header, name, mostPixels);
  const bitmap = await decodeBitmap(blob, name);
  try {
    const { width, height } = bitmap;
    requireFew(bitmap, name, mostPixels);
    const samples = bitmapSamples(bitmap, name);
    const colours = header?.colours ?? (isGrey(samples) ? 1 : 3);
    const channels = Array.from({ length: colours }, (_, k) => everyFourth(samples, k));
    const alpha = everyFourth(samples, 3);
    const isOpaque = alpha.every((value) => value === 1);
    const isReduced = (header?.bits ?? 8) > 8;
    const known = { isReduced, source, ...(jpeg && { jpeg }) };
    return { width, height, channels, alpha: isOpaque ? null : alpha, ...known };
  } finally {
    bitmap.close();
  }
}

function requireReadable(header: PictureHeader, name: string, mostPixels: number): void {
  requireFew(header, name, mostPixels);
  const reason = header.isAnimated
    ? "it is an animation, not one picture"
    : header.colours === 4
      ? "its colours are CMYK, not grey or RGB"
      : undefined;
  if (reason)
    throw new GaussianizeError("unsupported-file", `Cannot read ${name} as a picture: ${reason}.`);
}

function everyFourth(samples: Uint8Array | Uint8ClampedArray, first: number): Float32Array {
  const values = new Float32Array(samples.length / 4);
  for (let k = 0; k < values.length; k++) values[k] = samples[first + 4 * k] / 255;
  return values;
}

/** Returns red, green, blue and alpha of each pixel of a bitmap that is not premultiplied. */
function bitmapSamples(bitmap: ImageBitmap, name: string): Uint8Array | Uint8ClampedArray {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) throw tooLarge(bitmap, name);
  context.drawImage(bitmap, 0, 0);
  const samples = samplesOf(context, bitmap, name);
  // A canvas multiplies colours by alpha, which cannot be undone.
  return isOpaque(samples) ? samples : transparentSamples(bitmap, name);
}

function samplesOf(
  context: OffscreenCanvasRenderingContext2D,
  bitmap: ImageBitmap,
  name: string,
): Uint8ClampedArray {
  try {
    return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  } catch (error) {
    throw tooLarge(bitmap, name, error);
  }
}

function isOpaque(samples: Uint8ClampedArray): boolean {
  for (let at = 3; at < samples.length; at += 4) if (samples[at] !== 255) return false;
  return true;
}

/** Reads the samples with WebGL, whose textures keep colours and alpha apart. */
function transparentSamples(bitmap: ImageBitmap, name: string): Uint8Array {
  const { width, height } = bitmap;
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
  if (!gl) {
    const reason = "it has transparent pixels, which need WebGL, and WebGL is not available";
    throw new GaussianizeError("unavailable", `Cannot read ${name}: ${reason}.`);
  }
  try {
    if (Math.max(width, height) > Number(gl.getParameter(gl.MAX_TEXTURE_SIZE))) {
      throw tooLarge(bitmap, name);
    }
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    const samples = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, samples);
    // Zeros would look like a black picture.
    if (gl.getError() !== gl.NO_ERROR) throw tooLarge(bitmap, name);
    return samples;
  } finally {
    // Browsers allow few contexts at a time and free them late.
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function tooLarge({ width, height }: ImageBitmap, name: string, cause?: unknown): GaussianizeError {
  const reason = `its ${width}×${height} pixels are too many for this browser`;
  return new GaussianizeError("unsupported-file", `Cannot read ${name}: ${reason}.`, { cause });
}

/** Decodes a picture for its size alone. (Declarations name no type of the DOM.) */
export async function decodedSize(blob: Blob, name: string): Promise<ImageSize> {
  const bitmap = await decodeBitmap(blob, name);
  const { width, height } = bitmap;
  bitmap.close();
  return { width, height };
}

/** Decodes a picture without premultiplying alpha. Errors name the picture. */
async function decodeBitmap(blob: Blob, name: string): Promise<ImageBitmap> {
  try {
    // Colours as stored: conversions differ between platforms.
    return await createImageBitmap(blob, {
      colorSpaceConversion: "none",
      premultiplyAlpha: "none",
    });
  } catch (error) {
    const reason = "it is damaged, or its format is not supported";
    throw new GaussianizeError("file-damaged", `Cannot read ${name} as a picture: ${reason}.`, {
      cause: error,
    });
  }
}
