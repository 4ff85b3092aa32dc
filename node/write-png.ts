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
