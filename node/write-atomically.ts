import { randomUUID } from "node:crypto";
import { access, constants, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { codeOf, fileError } from "./files.js";

/**
 * Writes a file completely or not at all: writes a temporary file beside it, syncs it to the disk
 * and renames it. If that fails, an existing file stays unchanged.
 */
export async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  try {
    // A link stays a link: its target is replaced.
    const target = await realpath(path).catch(() => path);
    const before = await stat(target).catch(() => undefined);
    // A rename in the folder would be allowed even if this file is write-protected.
    if (before) await access(target, constants.W_OK);
    // A device or a pipe must not be replaced by a file. Opening a folder throws the right error.
    if (before && !before.isFile()) await writeTo(target, "w", bytes);
    else await replaceFile(target, bytes, before?.mode);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

const temporaryStart = ".gaussianize-";

/** Whether a file is a leftover of a process that was killed while writing. */
export function isTemporary(name: string): boolean {
  return name.startsWith(temporaryStart) && name.endsWith(".tmp");
}

/** Returns a new name beside a file. The file's own name may already have the maximum length. */
export function temporaryNameFor(path: string): string {
  return join(dirname(path), `${temporaryStart}${randomUUID()}.tmp`);
}

async function replaceFile(path: string, bytes: Uint8Array, mode?: number): Promise<void> {
  const folder = dirname(path);
  const temporary = temporaryNameFor(path);
  try {
    await writeTo(temporary, "wx", bytes, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  // Syncs the new name to the disk. Some systems cannot sync folders.
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function writeTo(
  path: string,
  flag: "w" | "wx",
  bytes: Uint8Array,
  mode?: number,
): Promise<void> {
  const file = await open(path, flag);
  try {
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(bytes);
    // Syncing a device or a pipe may fail.
    if (flag === "wx") await file.sync();
  } finally {
    await file.close();
  }
}

export interface WritableOptions {
  /** Whether missing parent folders will be created; default false. */
  readonly makesFolders?: boolean;
}

/**
 * Throws if a file cannot be written, before any work is done for it. Creates and removes a
 * temporary file beside it, because permissions do not tell enough (in /proc, on read-only disks).
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
    // Devices and pipes accept bytes.
    if (target && !target.isFile()) return;
    const beside = await realpath(path).catch(() => path);
    await probe(makesFolders ? await firstMissing(beside) : beside);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/** Creates a file beside another and removes it. */
async function probe(path: string): Promise<void> {
  const temporary = temporaryNameFor(path);
  const file = await open(temporary, "wx");
  try {
    await file.close();
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Returns the file, or the topmost missing folder above it. */
async function firstMissing(path: string): Promise<string> {
  const folder = dirname(path);
  return folder === path || (await existing(folder)) ? path : firstMissing(folder);
}

async function existing(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw fileError("write", path, error);
  }
}
