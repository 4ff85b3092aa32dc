/** Whether files are what their publishers distribute, by SHA-256. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { sizeOf } from "./data-folder.js";
import type { DataFile } from "./data-sets.js";
import { fileError } from "./file-errors.js";

export type FileState = "right" | "wrong" | "missing";

export async function checkFile(file: DataFile, folder: string): Promise<FileState> {
  const path = join(folder, file.path);
  const size = await sizeOf(path);
  if (size === undefined) return "missing";
  return size === file.bytes && (await sha256Of(path)) === file.sha256 ? "right" : "wrong";
}

/** The sum of what is on the disk, in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  } catch (error) {
    throw fileError("read", path, error);
  }
  return hash.digest("hex");
}

export interface SetCheck {
  readonly files: number;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

/** Reads one file after the other: disks are fastest that way. */
export async function checkFiles(
  files: readonly DataFile[],
  folder: string,
  onFile: (file: DataFile) => void = () => undefined,
): Promise<SetCheck> {
  const paths: Record<FileState, string[]> = { right: [], wrong: [], missing: [] };
  for (const file of files) {
    paths[await checkFile(file, folder)].push(file.path);
    onFile(file);
  }
  return { files: files.length, ...paths };
}
