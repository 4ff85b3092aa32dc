/** What can be known of an image without decoding it. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { vanHaterenSize } from "../src/images/decoded-image.js";
import { type ImageHeader, headerBytes } from "../src/patches/image-set.js";
import { isIml, pictureError } from "./decode-image.js";
import { pictureSize } from "./decode-picture.js";
import { fileError } from "./file-errors.js";
import { refuseCompressed } from "./image-endings.js";

/** An image of this platform: a file, or a part of an archive. */
export interface FileHeader extends ImageHeader {
  /** Where it begins in its archive. */
  readonly offset?: number;
}

export interface DigestedHeader extends FileHeader {
  /** SHA-256 of the base name, the number of bytes and the first of them. */
  readonly digest: string;
}

/** Throws the sentences of `decodeImage` for what is seen in the header already. */
export async function readImageHeader(path: string): Promise<DigestedHeader> {
  refuseCompressed(path);
  const { byteCount, digest } = await readBeginning(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  return { path, ...(await sizeOfImage(path, byteCount, path)), digest };
}

/**
 * Width and height of an image of so many bytes, in a file or of which the first bytes are here.
 */
export async function sizeOfImage(
  path: string,
  byteCount: number,
  source: string | Uint8Array,
): Promise<{ width: number; height: number }> {
  if (byteCount === 0)
    throw new GaussianizeError("file-damaged", `Cannot read ${path}: it is empty.`);
  if (isIml(path)) return vanHaterenSize(byteCount, path);
  return pictureSize(source).catch((error: unknown) => {
    throw pictureError(path, error);
  });
}

export function digestOf(name: string, byteCount: number, beginning: Uint8Array): string {
  return createHash("sha256")
    .update(JSON.stringify([name, byteCount]))
    .update(beginning)
    .digest("hex");
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
    return { byteCount, digest: digestOf(basename(path), byteCount, buffer.subarray(0, length)) };
  } finally {
    await file.close();
  }
}
