import sharp from "sharp";
import type { GreyImage } from "../../src/images/grey-image.js";
import { type JpegBlocks, jpegBlocksOf } from "../../src/images/jpeg-tables.js";

/** A grey image as a JPEG file of this quality holds it, and how its blocks were quantised. */
export async function asJpeg(
  { width, height, pixels }: GreyImage,
  quality: number,
): Promise<{ readonly image: GreyImage; readonly jpeg: JpegBlocks; readonly bytes: Buffer }> {
  const codes = Uint8Array.from(pixels, (value) =>
    Math.round(255 * Math.min(1, Math.max(0, value))),
  );
  const raw = { width, height, channels: 1 } as const;
  const bytes = await sharp(codes, { raw }).toColourspace("b-w").jpeg({ quality }).toBuffer();
  const decoded = await sharp(bytes).toColourspace("b-w").raw().toBuffer();
  const jpeg = jpegBlocksOf(bytes);
  if (!jpeg) throw new Error("there are no tables in the file");
  return {
    image: { width, height, pixels: Float32Array.from(decoded, (v) => v / 255) },
    jpeg,
    bytes,
  };
}
