import type { Metadata } from "sharp";
import type { PictureMetadata } from "./picture.js";
import { copiedChunks, pngChunksOf } from "./png-chunks.js";
import { unreadTiffTags } from "./tiff-tags.js";

/** Formats whose pixels sharp gives as they are stored. Those of HEIF are turned upright already, whatever its EXIF says. */
const formatsAsStored = ["png", "jpeg", "webp", "tiff"];
/** What libvips reports of PNG and JPEG files that say nothing; what readers assume of them, too. */
const unsaidDensity = 72;
const exifPrefix = "Exif\0\0";

/** What a picture's file says beside its pixels. */
export function metadataOf(header: Metadata, bytes: Buffer): PictureMetadata {
  const { format, icc, exif, xmp, iptc, orientation, density } = header;
  const profile = icc ? { icc } : {};
  if (!formatsAsStored.includes(format)) {
    return { ...profile, ...(exif && { unread: ["EXIF"] }) };
  }
  const unread = format === "tiff" ? unreadTiffTags(bytes) : [];
  const pngChunks = format === "png" ? copiedChunks(pngChunksOf(bytes)) : [];
  return {
    ...profile,
    ...(exif && { exif: withoutPrefix(exif) }),
    ...(xmp && { xmp }),
    ...(iptc && { iptc }),
    ...(orientation !== undefined && { orientation }),
    ...(density !== undefined && density !== unsaidDensity && { density }),
    ...(pngChunks.length > 0 && { pngChunks }),
    ...(unread.length > 0 && { unread }),
  };
}

function withoutPrefix(exif: Buffer): Buffer {
  const hasPrefix = exif.toString("latin1", 0, exifPrefix.length) === exifPrefix;
  return hasPrefix ? exif.subarray(exifPrefix.length) : exif;
}
