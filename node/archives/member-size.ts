/** Width and height of a picture in the middle of an archive, from as few of its bytes as will do. */
import { GaussianizeError } from "../../src/errors.js";
import { isUnknownFormat, pictureError } from "../decode-image.js";
import { sizeOfImage } from "../image-header.js";
import type { BufferedFile } from "./buffered-file.js";
import { isTiff, tiffSize } from "./tiff-size.js";

/**
 * 64 kB are enough for nearly every picture; JPEG may have profiles and thumbnails before its size, and WebP is wanted as a
 * whole. Whatever a member claims to be, no more than the last of these is in memory for its size.
 */
const attempts = [2 ** 16, 2 ** 20, 2 ** 26];

/** The decoder's own limit, which it checks for the formats that it reads. */
const mostPixels = 0x3fff * 0x3fff;

interface Size {
  readonly width: number;
  readonly height: number;
}

export async function sizeOfMember(
  file: BufferedFile,
  path: string,
  offset: number,
  bytes: number,
): Promise<Size> {
  for (const length of attempts) {
    const beginning = await file.at(offset, Math.min(bytes, length));
    try {
      return await sizeOfImage(path, bytes, beginning);
    } catch (error) {
      if (bytes <= length || !(error instanceof GaussianizeError)) throw error;
      if (isTiff(beginning)) return sizeByDirectory(file, path, offset, bytes);
      if (isUnknownFormat(error.cause)) throw error;
    }
  }
  throw pictureError(path, "its size is not told by its first 64 MB");
}

/** Of TIFF, whose directory often is at the end, beyond all pixels. */
async function sizeByDirectory(
  file: BufferedFile,
  path: string,
  offset: number,
  bytes: number,
): Promise<Size> {
  const size = await tiffSize((at, length) =>
    file.at(offset + at, Math.max(0, Math.min(length, bytes - at))),
  );
  if (!size) throw pictureError(path, "it is damaged or incomplete");
  if (size.width * size.height <= mostPixels) return size;
  throw pictureError(path, "it has more than 268 megapixels");
}
