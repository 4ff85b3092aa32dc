/** Files for the Patches panel, and its pixels, to compare with those of Node. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { type Bitmap, greyBitmap } from "../../lab/components/bitmap.js";
import type { PackageModel } from "../../lab/panels/patches/settings.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { readPatchModel } from "../../node/model-files.js";
import type { Model } from "../../src/density/model-files/model.js";
import type { sampleMosaic } from "../../src/figures/sample-mosaic.js";

const models = fileURLToPath(new URL("../../models", import.meta.url));

export const packaged = (name: PackageModel): Promise<Model> =>
  readPatchModel(join(models, `kodak16-${name}.safetensors`));

/**
 * Writes 96×72 pixels of a photograph: in colour, not square, and as PNG, because JPEG decoders may
 * differ. Returns the path.
 */
export async function writeBoats(folder: string): Promise<string> {
  const path = join(folder, "boats.png");
  await sharp(embeddedPhotographs().find(({ name }) => name === "nagasaki-boats")!.path)
    .extract({ left: 420, top: 360, width: 96, height: 72 })
    .removeAlpha()
    .png()
    .toFile(path);
  return path;
}

export const file = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(bytes),
});

export const drop = (page: Page, files: Parameters<Locator["setInputFiles"]>[0]): Promise<void> =>
  page.locator(".drop input").setInputFiles(files);

/** Returns the canvas under a list of patches. */
export const canvasBehind = (page: Page, name: string): Locator =>
  page
    .locator(".patch-grid")
    .filter({ has: page.getByRole("listbox", { name }) })
    .locator("canvas");

/** Returns the size and a hash of the grey values of a canvas. */
export const greysOf = (canvas: Locator): Promise<number[]> =>
  canvas.evaluate(async (element: HTMLCanvasElement) => {
    const { width, height } = element;
    const copy = new OffscreenCanvas(width, height);
    const pixels = copy.getContext("2d", { willReadFrequently: true })!;
    pixels.drawImage(element, 0, 0);
    const { data } = pixels.getImageData(0, 0, width, height);
    const greys = data.filter((_, k) => k % 4 === 0);
    return [width, height, ...new Uint8Array(await crypto.subtle.digest("SHA-256", greys))];
  });

/** Returns the same for a mosaic. */
export function hashOf(mosaic: ReturnType<typeof sampleMosaic>): number[] {
  return hashOfBitmap(greyBitmap(mosaic));
}

export function hashOfBitmap({ width, height, rgba }: Bitmap): number[] {
  const greys = rgba.filter((_, k) => k % 4 === 0);
  return [width, height, ...createHash("sha256").update(greys).digest()];
}
