import { constants } from "node:fs";
import { access, open, realpath, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { temporaryNameFor } from "./write-atomically.js";

export interface WritableOptions {
  /** Whether missing folders above the file will be made; default false. */
  readonly makesFolders?: boolean;
}

/**
 * Throws one sentence if a file cannot be written, before any work is done for it. Permissions do
 * not tell everything (in /proc, on read-only disks), so a temporary file is created beside it and
 * removed.
 */
export async function requireWritable(
  path: string,
  { makesFolders = false }: WritableOptions = {},
): Promise<void> {
  const target = await existing(path);
  if (target?.isDirectory())
    throw new GaussianizeError("cannot-write", `Cannot write ${path}: it is a folder.`);
  try {
    if (target) await access(path, constants.W_OK);
    // A device takes what it gets.
    if (target && !target.isFile()) return;
    const beside = await realpath(path).catch(() => path);
    await probe(makesFolders ? await firstMissing(beside) : beside);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/** Makes a file beside another, and removes it. */
async function probe(path: string): Promise<void> {
  const temporary = temporaryNameFor(path);
  const file = await open(temporary, "wx");
  try {
    await file.close();
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The file, or the uppermost folder above it that is not there. */
async function firstMissing(path: string): Promise<string> {
  const folder = dirname(path);
  return folder === path || (await existing(folder)) ? path : firstMissing(folder);
}

async function existing(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError("write", path, error);
  }
}
