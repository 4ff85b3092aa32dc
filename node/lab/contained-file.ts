/** Files of a folder from which no link leads out. */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";

export interface ContainedFile {
  readonly file: FileHandle;
  readonly size: number;
  readonly modified: number;
  /** Tells it from every other state of it, and from other files. */
  readonly version: string;
}

/**
 * Opens an ordinary file for reading, given by a path without links in it; undefined where there is
 * none. Neither a link nor a pipe that takes the place of a file or of a folder is followed.
 */
export async function openContained(path: string): Promise<ContainedFile | undefined> {
  let file: FileHandle | undefined;
  try {
    if ((await realpath(path)) !== path) return undefined;
    // Not to wait for a pipe that nobody writes to.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    file = await open(path, flags);
    // Asked again: a link may have taken the place of a folder meanwhile.
    const [opened, named, place] = await Promise.all([file.stat(), lstat(path), realpath(path)]);
    const isSame = opened.ino === named.ino && opened.dev === named.dev && place === path;
    if (opened.isFile() && isSame) {
      const { size, mtimeMs: modified, ino } = opened;
      return { file, size, modified, version: `${ino}-${size}-${modified}` };
    }
  } catch {
    // It is not there, or not for us.
  }
  await file?.close();
  return undefined;
}

/** Up to `most` bytes from `from` on; fewer where the file ends. */
export async function readPart(file: FileHandle, from: number, most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await file.read(bytes, length, most - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The text of a file of at most so many bytes; undefined where there is none, or it is larger. */
export async function readContained(
  path: string,
  most: number,
): Promise<{ readonly text: string; readonly modified: number } | undefined> {
  const found = await openContained(path);
  if (!found) return undefined;
  try {
    if (found.size > most) return undefined;
    const text = (await readPart(found.file, 0, found.size)).toString("utf8");
    return { text, modified: found.modified };
  } finally {
    await found.file.close();
  }
}
