/** Reads the size and the digest of an image without decoding it. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { vanHaterenSize } from "../src/images/decoded-image.js";
import { type ImageHeader, headerBytes } from "../src/patches/image-set.js";
import { isIml, pictureError, requireBytes } from "./decode-image.js";
import { pictureSize } from "./decode-picture.js";
import { failTo, readFully } from "./files.js";
import { rejectCompressed } from "./image-endings.js";

/** Header of an image file, or of an image in an archive. */
export interface FileHeader extends ImageHeader {
  /** First byte of the image in its archive. */
  readonly offset?: number;
}

export interface DigestedHeader extends FileHeader {
  /** SHA-256 of the base name, the number of bytes and the first bytes. */
  readonly digest: string;
}

/** Reads a header. Throws the errors of `decodeImage` that the header already shows. */
export async function readImageHeader(path: string): Promise<DigestedHeader> {
  rejectCompressed(path);
  const { byteCount, digest } = await readBeginning(path).catch(failTo("read", path));
  return { path, ...(await sizeOfImage(path, byteCount, path)), digest };
}

/** Returns the size of an image. `source` is its path or its first bytes. */
export async function sizeOfImage(
  path: string,
  byteCount: number,
  source: string | Uint8Array,
): Promise<{ width: number; height: number }> {
  requireBytes(byteCount, path);
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
    const beginning = await readFully(file, 0, headerBytes);
    const { size: byteCount } = await file.stat();
    return { byteCount, digest: digestOf(basename(path), byteCount, beginning) };
  } finally {
    await file.close();
  }
}
