/** Opens a set of picture files for a fit. Same pixels, names and seed give the bits of Node. */
import { GaussianizeError } from "../src/errors.js";
import { vanHaterenSize } from "../src/images/decoded-image.js";
import { abortError } from "../src/parallel/abort-error.js";
import type { ImageReading } from "../src/patches/image-reading.js";
import {
  type ImageHeader,
  ImageSet,
  type ImageSetOptions as CommonOptions,
  type SkippedImage,
  headerBytes,
  requireImages,
  tooSmall,
} from "../src/patches/image-set.js";
import { decodeImage, decodedSize, isIml, requireBytes } from "./decode-image.js";
import { pictureHeader, requireFew } from "./picture-header.js";

export interface FileHeader extends ImageHeader {
  readonly file: File;
}

export interface ImageSetOptions extends CommonOptions {
  /** Largest number of pixels; larger files are skipped. Default: no limit. */
  readonly mostPixels?: number;
  /** Cancels the opening. */
  readonly signal?: AbortSignal;
  /** Called after each file. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Decodes every file once, because only the decoder knows its orientation, and skips those that
 * cannot be used. The fingerprint is that of Node, or "" on pages without `crypto.subtle`, which
 * needs https or localhost.
 *
 * @throws GaussianizeError if none can be used
 *
 * @example
 * ```js
 * import { openImageSet } from "gaussianize/browser";
 * import { protocols } from "gaussianize/images";
 *
 * const set = await openImageSet([...document.querySelector("input").files], protocols.bsds64);
 * ```
 */
export async function openImageSet(
  files: readonly File[],
  reading: ImageReading,
  options: ImageSetOptions = {},
): Promise<ImageSet<FileHeader>> {
  requireImages(files, reading);
  const { signal, mostPixels = Infinity, onProgress, strict } = options;
  const found: (FileHeader | SkippedImage)[] = [];
  const digests: string[] = [];
  for (const file of files) {
    if (signal?.aborted) throw abortError(signal);
    const entry = await headerOrReason(file, reading.layout.size, mostPixels);
    if ("reason" in entry && strict) throw new GaussianizeError("unusable-images", entry.reason);
    if (!("reason" in entry)) digests.push(await digestOf(file));
    found.push(entry);
    onProgress?.(found.length, files.length);
  }
  const hash = await sha256(new TextEncoder().encode(digests.join("")));
  return new ImageSet(
    {
      found,
      fingerprint: hash === "" ? "" : `sha256:${hash}`,
      decode: ({ file }) => decodeImage(file, reading.luminance, { mostPixels }),
      nameOf: ({ file }) => file.name,
    },
    reading,
    options,
  );
}

async function headerOrReason(
  file: File,
  side: number,
  mostPixels: number,
): Promise<FileHeader | SkippedImage> {
  const { name: path } = file;
  try {
    const header = { path, file, ...(await sizeOf(file, mostPixels)) };
    return tooSmall(header, side) ?? header;
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    return { path, reason: error.message };
  }
}

async function sizeOf(
  file: File,
  mostPixels: number,
): Promise<{ readonly width: number; readonly height: number }> {
  const { name, size: byteCount } = file;
  requireBytes(byteCount, name);
  if (isIml(name)) return vanHaterenSize(byteCount, name);
  const header = pictureHeader(new Uint8Array(await bytesOf(file)));
  if (header) requireFew(header, name, mostPixels);
  const size = await decodedSize(file, name);
  requireFew(size, name, mostPixels);
  return size;
}

async function bytesOf(file: Blob): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch (error) {
    // The browser reads a file when it is needed, not when it is dropped.
    const name = file instanceof File ? file.name : "the picture";
    const reason = "it was deleted or changed after it was chosen";
    throw new GaussianizeError("cannot-read", `Cannot read ${name}: ${reason}.`, { cause: error });
  }
}

/** Returns the SHA-256 of the name, the number of bytes and the first bytes. */
async function digestOf(file: File): Promise<string> {
  const title = new TextEncoder().encode(JSON.stringify([file.name, file.size]));
  const first = new Uint8Array(await bytesOf(file.slice(0, headerBytes)));
  const all = new Uint8Array(title.length + first.length);
  all.set(title);
  all.set(first, title.length);
  return sha256(all);
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Missing on insecure pages, contrary to its type.
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto };
  if (!subtle) return "";
  const hash = new Uint8Array(await subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
