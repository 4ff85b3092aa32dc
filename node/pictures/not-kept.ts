/** What a picture has and a format has no place for. */
import { fitsJpeg, isPhotoshopBlock } from "./jpeg-segments.js";
import type { Picture, PictureFormat } from "./picture.js";
import { fitsWebp } from "./webp-chunks.js";

export function notKeptBy(format: PictureFormat, picture: Picture): string[] {
  return [...lostPixels(format, picture), ...lostMetadata(format, picture)];
}

function lostPixels(format: PictureFormat, picture: Picture): string[] {
  const { bitDepth, alpha, channels } = picture;
  const lost: string[] = [];
  const isDeep = format === "png" || format === "tiff";
  if (bitDepth === "float" && format !== "tiff") {
    lost.push(`floating point (${isDeep ? 16 : 8} bits instead)`);
    if (channels.some((channel) => channel.some((value) => value < 0 || value > 1))) {
      lost.push("values below 0 or above 1");
    }
  }
  if (bitDepth === 16 && !isDeep) lost.push("16 bits (8 instead)");
  if (alpha && format === "jpeg") lost.push("alpha");
  if (channels.length === 1 && format === "webp") lost.push("grey as one channel (three instead)");
  return lost;
}

function lostMetadata(format: PictureFormat, { metadata }: Picture): string[] {
  const { icc, exif, xmp, iptc, density, pngChunks = [], unread = [] } = metadata;
  const lost: string[] = [];
  if (icc && format === "webp" && !fitsWebp(icc)) lost.push("profile of grey");
  if (exif && (format === "tiff" || (format === "jpeg" && !fitsJpeg("exif", exif)))) {
    lost.push("EXIF");
  }
  if (xmp && format === "jpeg" && !fitsJpeg("xmp", xmp)) lost.push("XMP");
  if (iptc && !hasPlaceForIptc(format, iptc)) lost.push("IPTC");
  // Of WebP, only EXIF may tell it.
  if (density !== undefined && !exif && format === "webp") lost.push("density");
  // Density is told in another way.
  const chunks = new Set(pngChunks.map(({ type }) => type).filter((type) => type !== "pHYs"));
  if (chunks.size > 0 && format !== "png") lost.push(`PNG chunks (${[...chunks].join(", ")})`);
  return [...lost, ...unread];
}

function hasPlaceForIptc(format: PictureFormat, iptc: Uint8Array): boolean {
  if (format === "jpeg") return isPhotoshopBlock(iptc) && fitsJpeg("iptc", iptc);
  return format === "tiff" && !isPhotoshopBlock(iptc);
}
