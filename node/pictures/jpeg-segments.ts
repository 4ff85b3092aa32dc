/**
 * Application segments at the start of JPEG files: FF, marker, length (which counts itself), data.
 */
import { type PictureMetadata, exifOf } from "./picture.js";

const markers = { jfif: 0xe0, exif: 0xe1, xmp: 0xe1, icc: 0xe2, iptc: 0xed } as const;
const prefixes = {
  jfif: "JFIF\0",
  exif: "Exif\0\0",
  xmp: "http://ns.adobe.com/xap/1.0/\0",
  icc: "ICC_PROFILE\0",
} as const;

/** Lengths have 16 bits and count themselves. */
const longestData = 65_533;
/** Profiles are split into parts; number and count of a part take two bytes. */
const longestProfilePart = longestData - prefixes.icc.length - 2;

/** Whether metadata fits into a segment. Profiles are split and always fit. */
export function fitsJpeg(kind: "exif" | "xmp" | "iptc", data: Uint8Array): boolean {
  return data.length + (kind === "iptc" ? 0 : prefixes[kind].length) <= longestData;
}

/** Tells the named Photoshop block of a JPEG from the bare records of a TIFF. */
export function isPhotoshopBlock(iptc: Uint8Array): boolean {
  return Buffer.from(iptc).toString("latin1", 0, 9) === "Photoshop";
}

/** Adds metadata to a file that sharp wrote without. Skips what does not fit. */
export function jpegWithMetadata(bytes: Buffer, metadata: PictureMetadata): Buffer {
  const { xmp, iptc, icc, density } = metadata;
  const exif = exifOf(metadata);
  const parts = [bytes.subarray(0, 2)];
  // JFIF must be first.
  if (density) parts.push(segment(markers.jfif, prefixes.jfif, densityData(density)));
  if (exif && fitsJpeg("exif", exif)) parts.push(segment(markers.exif, prefixes.exif, exif));
  if (xmp && fitsJpeg("xmp", xmp)) parts.push(segment(markers.xmp, prefixes.xmp, xmp));
  if (icc) parts.push(...profileSegments(icc));
  if (iptc && isPhotoshopBlock(iptc) && fitsJpeg("iptc", iptc)) {
    parts.push(segment(markers.iptc, "", iptc));
  }
  return Buffer.concat([...parts, bytes.subarray(2)]);
}

function segment(marker: number, prefix: string, data: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(2 + prefix.length + data.length, 2);
  return Buffer.concat([head, Buffer.from(prefix, "latin1"), data]);
}

function profileSegments(icc: Uint8Array): Buffer[] {
  const count = Math.ceil(icc.length / longestProfilePart);
  return Array.from({ length: count }, (_, k) => {
    const part = icc.subarray(k * longestProfilePart, (k + 1) * longestProfilePart);
    return segment(markers.icc, prefixes.icc, Buffer.concat([Uint8Array.of(k + 1, count), part]));
  });
}

/** Returns version 1.2, unit (inch), horizontal and vertical density, no thumbnail. */
function densityData(density: number): Uint8Array {
  const data = Buffer.from([1, 2, 1, 0, 0, 0, 0, 0, 0]);
  const whole = Math.min(65_535, Math.max(1, Math.round(density)));
  data.writeUInt16BE(whole, 3);
  data.writeUInt16BE(whole, 5);
  return data;
}
