/** Node's side of what the page does. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeImage } from "../../../node/index.js";
import { type GreyImage, createRandom, deadLeaves, encodePng } from "../../../src/index.js";

export { openRunner } from "../../../node/index.js";

/** Node decodes files of a disk. */
export async function decodePixels(file: File): Promise<GreyImage> {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-lab-"));
  try {
    const path = join(folder, file.name);
    await writeFile(path, new Uint8Array(await file.arrayBuffer()));
    return await decodeImage(path, "linear");
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A scene of 120×90 pixels. */
export function encodedScene(): Uint8Array<ArrayBuffer> {
  return encodePng(deadLeaves(createRandom(4, "scene"), { width: 120, height: 90 }));
}

/** Grey values from 0 to 1 by the number of the pixel. */
export function encodedPicture(
  width: number,
  height: number,
  valueOf: (k: number) => number,
): Uint8Array<ArrayBuffer> {
  const pixels = Float32Array.from({ length: width * height }, (_, k) => valueOf(k));
  return encodePng({ width, height, pixels });
}
