/** What the sections of the demo's report have in common. */
import {
  type GreyImage,
  type Picture,
  type ReportBlock,
  type Text,
  pngDataUrl,
} from "../../src/index.js";

/** Wide pictures stand alone in their row. */
export function wide(picture: Picture, caption?: Text): ReportBlock {
  return { kind: "figures", figures: [picture], ...(caption === undefined ? {} : { caption }) };
}

export function pictureOf(image: GreyImage, alt: string, zoom = 1): Picture {
  const { width, height } = image;
  return { image: pngDataUrl(image), alt, width: width * zoom, height: height * zoom };
}
