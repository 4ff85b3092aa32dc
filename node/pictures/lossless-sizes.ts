/** Sizes of grey pictures in lossless file formats, to compare code lengths of models with. */
import type { Sharp } from "sharp";
import type { FileSizes, GreyCodes } from "../../src/evaluation/evaluation.js";
import { longestSide } from "./write-picture.js";

/** Encoders with settings for small files, except JPEG XL, whose higher efforts take minutes. */
export const losslessEncoders: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  png: (image) => image.png({ compressionLevel: 9, adaptiveFiltering: true }),
  webp: (image) => image.webp({ lossless: true, effort: 6 }),
  jxl: (image) => image.jxl({ lossless: true, effort: 7 }),
};

/** Returns the sizes in bytes in all formats that this build of sharp writes. */
export async function losslessSizes({ width, height, codes }: GreyCodes): Promise<FileSizes> {
  const { default: sharp } = await import("sharp");
  const sizes: Record<string, number> = {};
  for (const [name, encode] of Object.entries(losslessEncoders)) {
    if (!canWrite(sharp.format, name)) continue;
    if (name === "webp" && Math.max(width, height) > longestSide.webp) continue;
    const raw = { width, height, channels: 1 } as const;
    const image = sharp(codes, { raw, limitInputPixels: false }).toColourspace("b-w");
    sizes[name] = (await encode(image).toBuffer()).length;
  }
  return sizes;
}

/** Not every build of sharp has every format; that of the npm registry has no JPEG XL. */
function canWrite(formats: object, name: string): boolean {
  const known = formats as Readonly<Record<string, { output?: { buffer?: boolean } } | undefined>>;
  return known[name]?.output?.buffer === true;
}
