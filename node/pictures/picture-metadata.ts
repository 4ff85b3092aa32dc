import type { Metadata } from "sharp";
import type { PictureMetadata } from "./picture.js";
import { copiedChunks, pngChunksOf } from "./png-chunks.js";

/**
 * Formats whose pixels sharp gives as they are stored. Those of HEIF are turned upright already,
 * whatever its EXIF says.
 */
const formatsAsStored = ["png", "jpeg", "webp", "tiff"];
/**
 * What libvips reports of PNG and JPEG files that say nothing; what readers assume of them, too.
 */
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

/** Tags of TIFF files that sharp does not tell of, by name. */
const names: Readonly<Record<number, string>> = {
  270: "description",
  271: "camera",
  272: "camera",
  305: "software",
  306: "date",
  315: "artist",
  33432: "copyright",
  34377: "Photoshop data",
  34665: "EXIF",
  34853: "GPS",
};

/**
 * Which of them the first directory of a file has. BigTIFF, which hardly any camera or program
 * writes, is not looked into.
 */
function unreadTiffTags(bytes: Buffer): string[] {
  const isLittleEndian = bytes.toString("latin1", 0, 2) === "II";
  const short = (at: number): number =>
    isLittleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  if (short(2) !== 42) return [];
  const directoryAt = isLittleEndian ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4);
  const tags = Array.from({ length: short(directoryAt) }, (_, i) =>
    short(directoryAt + 2 + 12 * i),
  );
  const found = tags.filter((tag) => Object.hasOwn(names, tag)).map((tag) => names[tag]);
  return [...new Set(found)];
}
