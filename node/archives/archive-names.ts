/** Which files are archives, by their endings, and which of them are compressed. */
import { GaussianizeError } from "../../src/errors.js";

export function isArchive(path: string): boolean {
  return /\.tar$/i.test(path);
}

/** Those that would have to be unpacked from their beginning for each picture. */
export function isCompressedArchive(path: string): boolean {
  return /\.(tar\.\w+|tgz|tbz2?|txz|tzst|zip|7z|rar)$/i.test(path);
}

export function refuseCompressed(path: string): void {
  if (isCompressedArchive(path)) throw compressedError(path);
}

/** First bytes of what gzip, bzip2, xz, zstd and zip write. */
const marks = [
  [0x1f, 0x8b],
  [0x42, 0x5a, 0x68],
  [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [0x28, 0xb5, 0x2f, 0xfd],
  [0x50, 0x4b, 0x03, 0x04],
] as const;

/** Whatever its name says. */
export function isCompressed(beginning: Uint8Array): boolean {
  return marks.some((mark) => mark.every((byte, k) => beginning[k] === byte));
}

export function compressedError(path: string): GaussianizeError {
  return new GaussianizeError(
    `Cannot read ${path}: pictures in the middle of a compressed archive cannot be reached; unpack it, or make a plain .tar of it, which is read as it is.`,
  );
}
