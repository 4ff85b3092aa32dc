/** Opens files without following links, so that nothing outside a folder can be read. */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { readFully } from "../files.js";

export interface ContainedFile {
  readonly file: FileHandle;
  readonly size: number;
  readonly modified: number;
  /** Changes whenever the file is changed or replaced. */
  readonly version: string;
}

/**
 * Opens an ordinary file by a path without links; returns undefined if there is none. Follows
 * neither links nor pipes that replace the file or a folder meanwhile.
 */
export async function openContained(path: string): Promise<ContainedFile | undefined> {
  let file: FileHandle | undefined;
  try {
    if ((await realpath(path)) !== path) return undefined;
    // O_NONBLOCK: does not wait for a pipe that nobody writes to.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    file = await open(path, flags);
    // Checked again: a link may have replaced a folder meanwhile.
    const [opened, named, place] = await Promise.all([file.stat(), lstat(path), realpath(path)]);
    const isSame = opened.ino === named.ino && opened.dev === named.dev && place === path;
    if (opened.isFile() && isSame) {
      const { size, mtimeMs: modified, ino } = opened;
      return { file, size, modified, version: `${ino}-${size}-${modified}` };
    }
  } catch {
    // Missing, or not readable.
  }
  await file?.close();
  return undefined;
}

/** Returns the text of a file, or undefined if it is missing or has more than `most` bytes. */
export async function readContained(
  path: string,
  most: number,
): Promise<{ readonly text: string; readonly modified: number } | undefined> {
  const found = await openContained(path);
  if (!found) return undefined;
  try {
    if (found.size > most) return undefined;
    const text = (await readFully(found.file, 0, found.size)).toString("utf8");
    return { text, modified: found.modified };
  } finally {
    await found.file.close();
  }
}
