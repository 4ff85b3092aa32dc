/** What can be known of an image file without decoding it. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { vanHaterenSize } from "../src/images/van-hateren.js";
import {
  type ImageHeader,
  type SkippedImage,
  headerBytes,
  tooSmall,
} from "../src/patches/image-set.js";
import { abortError } from "../src/parallel/abort-error.js";
import { isIml, pictureError } from "./decode-image.js";
import { pictureSize } from "./decode-picture.js";
import { fileError } from "./file-errors.js";

export interface DigestedHeader extends ImageHeader {
  /** SHA-256 of the base name, the number of bytes and the first of them. */
  readonly digest: string;
}

export interface HeaderOptions {
  /** The first image that cannot be used is an error; otherwise it is left out and listed. */
  readonly strict?: boolean;
  /** What images must have room for, as sentences call it; default "patches". */
  readonly pieces?: string;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
  /** How many of the files were looked at. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Enough to keep a disk busy, few enough for the limits on open files. */
const readAtOnce = 8;

/** In the order of the paths. Where it is strict, the first image in that order that cannot be used is the one that is reported. */
export async function readImageHeaders(
  paths: readonly string[],
  side: number,
  { strict, pieces = "patches", signal, onProgress }: HeaderOptions,
): Promise<(DigestedHeader | SkippedImage)[]> {
  const found: (DigestedHeader | SkippedImage)[] = [];
  let [next, done, isOver] = [0, 0, false];
  const readInTurn = async (): Promise<void> => {
    while (next < paths.length && !isOver) {
      if (signal?.aborted) throw abortError(signal);
      const index = next++;
      const entry = await headerOrReason(paths[index], side, pieces).catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      found[index] = entry;
      if (strict && "reason" in entry) isOver = true;
      onProgress?.(++done, paths.length);
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, readInTurn));
  const trouble = strict && found.find((entry) => "reason" in entry);
  if (trouble) throw new GaussianizeError(trouble.reason);
  return found;
}

async function headerOrReason(
  path: string,
  side: number,
  pieces: string,
): Promise<DigestedHeader | SkippedImage> {
  try {
    const header = await readImageHeader(path);
    return tooSmall(header, side, pieces) ?? header;
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    return { path, reason: error.message };
  }
}

/** Throws the sentences of {@link decodeImage} for what is seen in the header already. */
async function readImageHeader(path: string): Promise<DigestedHeader> {
  const { byteCount, digest } = await readBeginning(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  if (byteCount === 0) throw new GaussianizeError(`Cannot read ${path}: it is empty.`);
  const size = isIml(path)
    ? vanHaterenSize(byteCount, path)
    : await pictureSize(path).catch((error: unknown) => {
        throw pictureError(path, error);
      });
  return { path, ...size, digest };
}

async function readBeginning(path: string): Promise<{ byteCount: number; digest: string }> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead: length } = await file.read(
      Buffer.alloc(headerBytes),
      0,
      headerBytes,
      0,
    );
    const { size: byteCount } = await file.stat();
    const digest = createHash("sha256")
      .update(JSON.stringify([basename(path), byteCount]))
      .update(buffer.subarray(0, length))
      .digest("hex");
    return { byteCount, digest };
  } finally {
    await file.close();
  }
}
