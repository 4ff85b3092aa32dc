import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import type { GreyImage } from "../src/images/grey-image.js";

/** Writes values from 0 (black) to 1 (white) as an 8-bit grey PNG. */
export async function writePng(path: string, { width, height, pixels }: GreyImage): Promise<void> {
  // Loaded late: commands that write no picture need not wait for it.
  const { default: sharp } = await import("sharp");
  const bytes = Uint8Array.from(pixels, (value) =>
    Math.round(255 * Math.min(1, Math.max(0, value))),
  );
  const raw = { width, height, channels: 1 } as const;
  await sharp(bytes, { raw }).toColourspace("b-w").png().toFile(path);
}

/** Says in one sentence why a file cannot be written, before anybody has worked for it. */
export async function requireWritable(path: string): Promise<void> {
  const folder = dirname(path);
  const target = await stat(path).catch(() => undefined);
  if (target?.isDirectory()) throw new GaussianizeError(`Cannot write ${path}: it is a folder.`);
  try {
    await access(target ? path : folder, constants.W_OK);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const reason = missing ? `there is no folder ${folder}` : "it is not allowed";
    throw new GaussianizeError(`Cannot write ${path}: ${reason}.`);
  }
}
