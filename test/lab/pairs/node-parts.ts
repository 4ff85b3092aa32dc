/** Node's side of what the page does. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeImage } from "../../../node/decode-image.js";
import { encodePng } from "../../../src/figures/encode-png.js";
import { deadLeaves } from "../../../src/images/dead-leaves.js";
import type { NamedFile } from "../../../lab/named-file.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { createRandom } from "../../../src/random/random-stream.js";

export { openRunner } from "../../../node/index.js";

/** Node decodes files of a disk. */
export async function decodePixels({ file }: NamedFile): Promise<GreyImage> {
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
