import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";

/**
 * Makes a folder and those above it, unless they are there; several callers may do so at once. Not
 * by `recursive: true`: where the system makes no folders, as in /proc, Node tries again without
 * end.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw fileError("write", folder, error);
    }
    if (await isFolder(folder)) return;
    throw new GaussianizeError("cannot-write", `Cannot write into ${folder}: it is not a folder.`);
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
