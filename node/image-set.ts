/** A set of image files for a fit or an evaluation. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { LoadedImage } from "../src/patches/image-as-read.js";
import type { ImageReading } from "../src/patches/image-reading.js";
import {
  ImageSet,
  type ImageSetOptions as CommonOptions,
  type SkippedImage,
  requireImages,
} from "../src/patches/image-set.js";
import { decodeImage } from "./decode-image.js";
import { type HeaderOptions, readImageHeaders } from "./image-headers.js";

export { ImageSet };
export type { LoadedImage, SkippedImage };

export interface ImageSetOptions extends HeaderOptions, CommonOptions {}

/**
 * Looks at the header of every file, and leaves out those that cannot be used.
 *
 * @throws GaussianizeError where none is left
 */
export async function openImageSet(
  paths: readonly string[],
  reading: ImageReading,
  options: ImageSetOptions = {},
): Promise<ImageSet> {
  requireImages(paths, reading);
  const headers = await readImageHeaders(paths, reading.layout.size, options);
  const hash = createHash("sha256");
  const found = headers.map((entry) => {
    if ("reason" in entry) return entry;
    const { digest, ...image } = entry;
    hash.update(digest);
    return image;
  });
  const files = {
    found,
    fingerprint: `sha256:${hash.digest("hex")}`,
    decode: ({ path }: { readonly path: string }) => decodeImage(path, reading.luminance),
    nameOf: ({ path }: { readonly path: string }) => basename(path),
  };
  return new ImageSet(files, reading, options);
}
