import type { GreyImage } from "../images/grey-image.js";
import { pngDataUrl } from "./png-data-url.js";
import type { Picture } from "./report-blocks.js";

/** A picture for a report, each pixel zoom×zoom. */
export function pictureOf(image: GreyImage, alt: string, zoom = 1): Picture {
  const { width, height } = image;
  return { image: pngDataUrl(image), alt, width: width * zoom, height: height * zoom };
}
