/** Parts that the tests of the Pairs panel share: fits in Node, and files for the page. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { NamedFile } from "../../../lab/named-file.js";
import {
  type PairFitInput,
  type PairFitResult,
  fitPairsWith,
} from "../../../lab/panels/pairs/pairs-jobs.js";
import { decodeImage } from "../../../node/decode-image.js";
import { openRunner } from "../../../node/index.js";
import { encodePng } from "../../../src/figures/encode-png.js";
import { deadLeaves } from "../../../src/images/dead-leaves.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { createRandom } from "../../../src/random/random-stream.js";

/** Fits in Node with the function of the page. */
export async function fitInNode(input: PairFitInput): Promise<PairFitResult> {
  return fitPairsWith(decodePixels, input, {
    runner: await openRunner({ workers: 0 }),
    signal: new AbortController().signal,
    report: () => undefined,
    whileHeld: () => Promise.resolve(),
  });
}

/** Writes a file to the disk, where Node decodes it. */
async function decodePixels({ file }: NamedFile): Promise<GreyImage> {
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

/** A picture whose grey values, 0 to 1, depend on the index of the pixel. */
export function encodedPicture(
  width: number,
  height: number,
  valueOf: (k: number) => number,
): Uint8Array<ArrayBuffer> {
  const pixels = Float32Array.from({ length: width * height }, (_, k) => valueOf(k));
  return encodePng({ width, height, pixels });
}

/** Chooses a file in the panel. */
export async function chooseFile(
  page: Page,
  name: string,
  contents: string | Uint8Array,
): Promise<void> {
  const mimeType = name.endsWith(".png") ? "image/png" : "text/csv";
  const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
  const input = page.locator(".drop input");
  await input.setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) });
}
