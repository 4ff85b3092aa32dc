/** Reads the headers of the pictures in a tar archive, without decoding the pictures. */
import { basename } from "node:path/posix";
import { GaussianizeError } from "../../src/errors.js";
import { type SkippedImage, headerBytes, isOfSystem } from "../../src/patches/image-set.js";
import { isUnknownFormat, pictureError } from "../decode-image.js";
import { failTo, fileError } from "../files.js";
import { isImage } from "../image-endings.js";
import { type DigestedHeader, digestOf, sizeOfImage } from "../image-header.js";
import { BufferedFile } from "./buffered-file.js";
import { type TarMember, tarMembers } from "./tar-members.js";

/** Largest picture in bytes. Even 268 megapixels, the decoder's limit, seldom have more. */
const mostBytesOfPicture = 2 ** 30;

/** Called for each image, with the part of the archive that has been read, from 0 to 1. */
type OnImage = (image: DigestedHeader | SkippedImage, part: number) => void;

/** Reads images in their order. Damage to the archive counts as one skipped image. */
export async function readArchive(
  path: string,
  signal: AbortSignal | undefined,
  onImage: OnImage,
): Promise<void> {
  const file = await BufferedFile.open(path).catch(failTo("read", path));
  try {
    for await (const member of tarMembers(file, path, signal)) {
      if (!isWanted(member.name)) continue;
      onImage(await imageOf(file, path, member), member.offset / file.bytes);
    }
  } catch (error) {
    const failure = fileError("read", path, error);
    const isDamage = failure instanceof GaussianizeError && !isOfSystem(failure);
    if (signal?.aborted || !isDamage) throw failure;
    onImage({ path, reason: failure.message }, 1);
  } finally {
    await file.close();
  }
}

/**
 * Skips hidden files, as in folders, such as the ._photo.png of a Mac. "." and ".." in names are
 * harmless, because nothing is unpacked.
 */
function isWanted(name: string): boolean {
  return isImage(name) && !/(^|\/)\.[^./]/.test(name);
}

async function imageOf(
  file: BufferedFile,
  archive: string,
  { name, offset, bytes, trouble }: TarMember,
): Promise<DigestedHeader | SkippedImage> {
  const path = `${archive}:${name}`;
  try {
    if (trouble !== undefined)
      throw new GaussianizeError("unsupported-file", `Cannot read ${path}: it is ${trouble}.`);
    if (bytes > mostBytesOfPicture) throw tooLarge(path, bytes);
    const beginning = await file.at(offset, Math.min(bytes, headerBytes));
    const digest = digestOf(basename(name), bytes, beginning);
    const size = await sizeOfMember(file, path, offset, bytes);
    return { path, ...size, digest, archive, offset, bytes };
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    return { path, reason: error.message };
  }
}

function tooLarge(path: string, bytes: number): GaussianizeError {
  const most = `the ${mostBytesOfPicture} that a picture in an archive may have`;
  return new GaussianizeError(
    "unsupported-file",
    `Cannot read ${path}: it has ${bytes} bytes, more than ${most}.`,
  );
}

/**
 * Numbers of bytes to read until the size of a picture is known. 64 kB are enough for most; a JPEG
 * may have profiles and thumbnails before its size, and WebP is read as a whole.
 */
const attempts = [2 ** 16, 2 ** 20, 2 ** 26];

/** The decoder's own limit. */
const mostPixels = 0x3fff * 0x3fff;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the size of a picture in an archive, reading as little of it as possible. */
async function sizeOfMember(
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
  throw pictureError(path, "its size is not in its first 64 MB");
}

/** Returns the size of a TIFF, whose directory often follows the pixels. */
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

/** Returns the bytes in a range, or fewer if the file ends in it. */
type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

const widthTag = 256;
const heightTag = 257;
const orientationTag = 274;
/** Number of bytes of each type of unsigned integer. */
const bytesOfType: Readonly<Partial<Record<number, number>>> = { 1: 1, 3: 2, 4: 4, 16: 8 };
/** Real directories have a few dozen entries. */
const mostEntries = 4096;

export function isTiff(beginning: Buffer): boolean {
  return /^(II[*+]\0|MM\0[*+])/.test(beginning.toString("latin1", 0, 4));
}

/** Returns the size after rotation, or undefined if there is no directory or no size in it. */
export async function tiffSize(read: ReadBytes): Promise<Size | undefined> {
  const entries = await firstDirectory(read);
  const width = entries?.get(widthTag) ?? 0;
  const height = entries?.get(heightTag) ?? 0;
  if (width === 0 || height === 0) return undefined;
  // Orientations 5 to 8 swap rows and columns.
  const isTurned = (entries?.get(orientationTag) ?? 1) >= 5;
  return isTurned ? { width: height, height: width } : { width, height };
}

/**
 * Returns the first value of each entry that holds integers, by tag. A TIFF begins with "II" or
 * "MM" (byte order), 42 (or 43: BigTIFF, with 8-byte numbers) and the offset of the directory: the
 * number of entries, then tag, type, count and value of each.
 */
async function firstDirectory(read: ReadBytes): Promise<Map<number, number> | undefined> {
  const head = Buffer.from(await read(0, 16));
  if (head.length < 16 || !isTiff(head)) return undefined;
  const isLittle = head[0] === 0x49;
  const isBig = head[isLittle ? 2 : 3] === 43;
  const number = isLittle ? littleEndian : bigEndian;
  const wordBytes = isBig ? 8 : 4;
  const countBytes = isBig ? 8 : 2;
  const entryBytes = 4 + 2 * wordBytes;
  const place = number(head, wordBytes, wordBytes);
  const counted = await read(place, countBytes);
  const count = counted.length === countBytes ? number(counted, 0, countBytes) : Infinity;
  if (count > mostEntries) return undefined;
  const directory = await read(place + countBytes, count * entryBytes);
  const entries = new Map<number, number>();
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const bytes = bytesOfType[number(directory, at + 2, 2)];
    if (bytes === undefined || bytes > wordBytes) continue;
    entries.set(number(directory, at, 2), number(directory, at + 4 + wordBytes, bytes));
  }
  return entries;
}

function littleEndian(buffer: Buffer, at: number, bytes: number): number {
  return bytes === 8 ? Number(buffer.readBigUInt64LE(at)) : buffer.readUIntLE(at, bytes);
}

function bigEndian(buffer: Buffer, at: number, bytes: number): number {
  return bytes === 8 ? Number(buffer.readBigUInt64BE(at)) : buffer.readUIntBE(at, bytes);
}
