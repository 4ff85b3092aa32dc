import { randomUUID } from "node:crypto";
import { access, constants, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileError } from "./file-errors.js";

/**
 * Writes a file that is there completely or not at all: under a temporary name beside it, synced to
 * the disk, then renamed. Whatever goes wrong, a file that was there before stays as it was.
 */
export async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  try {
    // A link stays a link: what it points to is replaced.
    const target = await realpath(path).catch(() => path);
    const before = await stat(target).catch(() => undefined);
    // A new name in the folder would be allowed even where this file is protected.
    if (before) await access(target, constants.W_OK);
    // A device or a pipe takes the bytes and must not become a file; a folder says what it is.
    if (before && !before.isFile()) await writeTo(target, "w", bytes);
    else await replaceFile(target, bytes, before?.mode);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

const temporaryStart = ".gaussianize-";

/** Whether a file is what a process left that was killed while it wrote. */
export function isTemporary(name: string): boolean {
  return name.startsWith(temporaryStart) && name.endsWith(".tmp");
}

/** Beside a file; not made from its own name, which may be as long as names can be. */
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
  // The new name is on the disk only after this. Some systems cannot sync folders; the file is
  // there all the same.
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
    // Devices and pipes have nothing to sync, and some say so.
    if (flag === "wx") await file.sync();
  } finally {
    await file.close();
  }
}
