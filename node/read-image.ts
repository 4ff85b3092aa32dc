import { readFile } from "node:fs/promises";
import type { Sharp } from "sharp";
import { GaussianizeError } from "../src/errors.js";
import type { GreyImage } from "../src/images/grey-image.js";
import { type Luminance, luminanceOf } from "../src/images/luminance.js";
import { fileError } from "./file-errors.js";

/** Reads a picture in any format that sharp knows (PNG, JPEG, WebP, TIFF …) as one value from 0 to 1 a pixel. */
export async function readGreyImage(path: string, luminance: Luminance): Promise<GreyImage> {
  // Loaded late: commands that read no picture need not wait for it.
  const { default: sharp } = await import("sharp");
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  try {
    const { samples, channels, largest, ...size } = await decode(sharp(bytes));
    const pixels = new Float32Array(size.width * size.height);
    for (let k = 0; k < pixels.length; k++) {
      const at = (channel: number): number =>
        samples[k * channels + Math.min(channel, channels - 1)] / largest;
      pixels[k] = luminanceOf(luminance, at(0), at(1), at(2));
    }
    return { ...size, pixels };
  } catch (error) {
    throw new GaussianizeError(`Cannot read ${path} as a picture: ${reasonOf(error)}.`);
  }
}

/** "Input buffer has corrupt header: …\n…" → "it has corrupt header: …" */
function reasonOf(error: unknown): string {
  const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line
    .replace(/^Input buffer /i, "it ")
    .replace(/unsupported image format/, "no image format that is known (PNG, JPEG, WebP, TIFF …)")
    .replace(/[.:\s]+$/, "");
}

/** Values as they stand in the file, or in sRGB where it has another colour profile: sharp would scale 8 to 16 bits by 256 rather than 257, or cut 16 to 8. */
async function decode(image: Sharp) {
  const { depth, channels } = await image.metadata();
  const plain = image.removeAlpha();
  if (depth === "ushort") {
    const { data, info } = await plain
      .toColourspace(channels < 3 ? "grey16" : "rgb16")
      .raw({ depth: "ushort" })
      .toBuffer({ resolveWithObject: true });
    const samples = new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
    return { ...sizeOf(info), samples, largest: 65535 };
  }
  const { data, info } = await plain
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return { ...sizeOf(info), samples: data, largest: 255 };
}

function sizeOf({ width, height, channels }: { width: number; height: number; channels: number }) {
  return { width, height, channels };
}
