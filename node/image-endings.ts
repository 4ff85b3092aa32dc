/**
 * How folders, globs and archives know images, and which files are archives: by the endings of
 * their names, in small or capital letters.
 */
import { extname } from "node:path";
import { GaussianizeError } from "../src/errors.js";

const imageEndings: readonly string[] = [".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".iml"];

/**
 * Endings of pictures that are passed over in folders: what no reader of ours knows, or what seldom
 * is a photograph.
 */
const otherEndings: readonly string[] = [
  ".gif",
  ".bmp",
  ".heic",
  ".heif",
  ".avif",
  ".jxl",
  ".jp2",
  ".j2k",
  ".svg",
  ".ico",
  ".tga",
  ".psd",
  ".xcf",
  ".ppm",
  ".pgm",
  ".pbm",
  ".pnm",
  ".pfm",
  ".exr",
  ".hdr",
  ".fits",
  ".dcm",
  ".dng",
  ".cr2",
  ".cr3",
  ".nef",
  ".arw",
  ".orf",
  ".rw2",
  ".raf",
  ".pef",
  ".raw",
];

export function isImage(path: string): boolean {
  return imageEndings.includes(endingOf(path));
}

export function isOtherPicture(path: string): boolean {
  return otherEndings.includes(endingOf(path));
}

/** .png, .jpg … or .iml; or .tar, where archives are taken. */
export function knownEndings(archives: boolean): string {
  const endings = archives ? [...imageEndings, ".tar"] : imageEndings;
  return `${endings.slice(0, -1).join(", ")} or ${endings.at(-1) ?? ""}`;
}

function endingOf(path: string): string {
  return extname(path).toLowerCase();
}

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
    "unsupported-file",
    `Cannot read ${path}: pictures in the middle of a compressed archive cannot be reached; unpack it, or make a plain .tar of it, which is read as it is.`,
  );
}
