import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { codeOf, fileError } from "./files.js";

/**
 * Creates a folder and its missing parents. Several callers may do so at once. Not by `recursive:
 * true`: where folders cannot be created, as in /proc, Node would retry forever.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileError("write", folder, error);
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
