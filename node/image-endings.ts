/** Tells images and archives by the endings of their names, in lower or upper case. */
import { extname } from "node:path";
import { GaussianizeError } from "../src/errors.js";

const imageEndings: readonly string[] = [".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".iml"];

/** Other picture files. Folders are searched without them: unsupported, or rarely photographs. */
const otherPictures =
  /\.(gif|bmp|hei[cf]|avif|jxl|jp2|j2k|svg|ico|tga|psd|xcf|p[pgbnf]m|exr|hdr|fits|dcm|dng|cr[23]|nef|arw|orf|rw2|raf|pef|raw)$/i;

export function isImage(path: string): boolean {
  return imageEndings.includes(extname(path).toLowerCase());
}

export function isOtherPicture(path: string): boolean {
  return otherPictures.test(extname(path));
}

/** Returns ".png, .jpg … or .iml", with ".tar" if archives are accepted. */
export function knownEndings(archives: boolean): string {
  const endings = archives ? [...imageEndings, ".tar"] : imageEndings;
  return `${endings.slice(0, -1).join(", ")} or ${endings.at(-1) ?? ""}`;
}

export function isArchive(path: string): boolean {
  return /\.tar$/i.test(path);
}

/** Tells archives that would have to be unpacked from the start for each picture. */
export function isCompressedArchive(path: string): boolean {
  return /\.(tar\.\w+|tgz|tbz2?|txz|tzst|zip|7z|rar)$/i.test(path);
}

export function rejectCompressed(path: string): void {
  if (isCompressedArchive(path)) throw compressedError(path);
}

/** First bytes of gzip, bzip2, xz, zstd and zip files. */
const marks = [
  [0x1f, 0x8b],
  [0x42, 0x5a, 0x68],
  [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [0x28, 0xb5, 0x2f, 0xfd],
  [0x50, 0x4b, 0x03, 0x04],
] as const;

/** Tells compressed content, whatever its name. */
export function isCompressed(beginning: Uint8Array): boolean {
  return marks.some((mark) => mark.every((byte, k) => beginning[k] === byte));
}

export function compressedError(path: string): GaussianizeError {
  return new GaussianizeError(
    "unsupported-file",
    `Cannot read ${path}: compressed archives are not supported. Unpack it, or pack the images as a plain .tar.`,
  );
}
