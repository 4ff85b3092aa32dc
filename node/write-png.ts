import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { encodePng } from "../src/figures/encode-png.js";
import type { GreyImage } from "../src/images/grey-image.js";
import { fileError } from "./file-errors.js";
import { writeAtomically } from "./write-atomically.js";

/** Writes values from 0 (black) to 1 (white) as an 8-bit grey PNG, completely or not at all. */
export async function writePng(path: string, image: GreyImage): Promise<void> {
  await writeAtomically(path, encodePng(image));
}

/** Says in one sentence why a file cannot be written, before anybody has worked for it. */
export async function requireWritable(path: string): Promise<void> {
  const target = await existing(path);
  if (target?.isDirectory()) throw new GaussianizeError(`Cannot write ${path}: it is a folder.`);
  try {
    if (target) await access(path, constants.W_OK);
    // A file is replaced by a new one beside it; a device takes what it gets.
    if (target?.isFile() ?? true) {
      await access(dirname(await realpath(path).catch(() => path)), constants.W_OK);
    }
  } catch (error) {
    throw fileError("write", path, error);
  }
}

async function existing(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError("write", path, error);
  }
}
