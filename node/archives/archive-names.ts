/** Which files are archives, by their endings. */
import { GaussianizeError } from "../../src/errors.js";

export function isArchive(path: string): boolean {
  return /\.tar$/i.test(path);
}

/** Those that would have to be unpacked from their beginning for each picture. */
export function isCompressedArchive(path: string): boolean {
  return /\.(tar\.\w+|tgz|tbz2?|txz|tzst|zip|7z|rar)$/i.test(path);
}

export function refuseCompressed(path: string): void {
  if (!isCompressedArchive(path)) return;
  throw new GaussianizeError(
    `Cannot read ${path}: pictures in the middle of a compressed archive cannot be reached; unpack it, or make a plain .tar of it, which is read as it is.`,
  );
}
