/** A set of image files for a fit or an evaluation. */
import { createHash } from "node:crypto";
import { basename, posix } from "node:path";
import type { ImageReading } from "../src/patches/image-reading.js";
import {
  ImageSet,
  type ImageSetOptions as CommonOptions,
  type SkippedImage,
  requireImages,
} from "../src/patches/image-set.js";
import { RunReader } from "./archives/run-reader.js";
import { decodeBytes, decodeImage } from "./decode-image.js";
import type { FileHeader } from "./image-header.js";
import { type HeaderOptions, readImageHeaders } from "./image-headers.js";

export { ImageSet };
export type { SkippedImage };

export interface ImageSetOptions extends HeaderOptions, CommonOptions {}

/**
 * Looks at the header of every file, and of every picture in tar archives (`.tar`), and leaves out
 * those that cannot be used.
 *
 * @throws GaussianizeError where none is left
 *
 * @example
 * ```js
 * import { protocols } from "gaussianize/images";
 * import { embeddedPhotographs, openImageSet } from "gaussianize/node";
 *
 * const paths = embeddedPhotographs().map(({ path }) => path);
 * const set = await openImageSet(paths, protocols.bsds64);
 * const image = await set.load(0, 0);
 * console.log(set.images.length, image.pixels.length > 0); // 8 true
 * ```
 */
export async function openImageSet(
  paths: readonly string[],
  reading: ImageReading,
  options: ImageSetOptions = {},
): Promise<ImageSet> {
  requireImages(paths, reading);
  const { luminance, layout } = reading;
  const headers = await readImageHeaders(paths, layout.size, options);
  const hash = createHash("sha256");
  const found = headers.map((entry): FileHeader | SkippedImage => {
    if ("reason" in entry) return entry;
    const { digest, ...image } = entry;
    hash.update(digest);
    return image;
  });
  const archives = new RunReader(
    found.filter((entry): entry is FileHeader => !("reason" in entry)),
  );
  const files = {
    found,
    fingerprint: `sha256:${hash.digest("hex")}`,
    decode: async ({ path, archive }: FileHeader, index: number, until: number) =>
      archive === undefined
        ? decodeImage(path, luminance)
        : decodeBytes(await archives.read(index, until), path, luminance),
    nameOf: ({ path, archive }: FileHeader) =>
      archive === undefined ? basename(path) : posix.basename(path.slice(archive.length + 1)),
  };
  return new ImageSet(files, reading, options);
}
