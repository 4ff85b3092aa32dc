/** The chunks of PNG files (ISO/IEC 15948): length, type, data, checksum of type and data. */
import { deflateSync } from "node:zlib";
import { pngChunk } from "../../src/figures/encode-png.js";
import { orientationExif } from "./orientation-exif.js";
import type { PictureMetadata, PngChunk } from "./picture.js";

const signatureLength = 8;
/** Length and type before the data, the checksum after it. */
const chunkExtra = 12;
const headerEnd = signatureLength + chunkExtra + 13;
const xmpKeyword = "XML:com.adobe.xmp";
const metresPerInch = 0.0254;

/**
 * How codes are shown, and what somebody wrote; what else there is belongs to the pixels, or is
 * known to sharp.
 */
const copiedTypes = [
  "cICP",
  "mDCV",
  "cLLI",
  "sRGB",
  "gAMA",
  "cHRM",
  "pHYs",
  "tEXt",
  "zTXt",
  "iTXt",
];

/** Every chunk of a file, as far as it is complete. */
export function pngChunksOf(bytes: Buffer): PngChunk[] {
  const chunks: PngChunk[] = [];
  for (let at = signatureLength; at + chunkExtra <= bytes.length;) {
    const end = at + chunkExtra + bytes.readUInt32BE(at);
    const data = bytes.subarray(at + 8, end - 4);
    chunks.push({ type: bytes.toString("latin1", at + 4, at + 8), data });
    at = end;
  }
  return chunks;
}

/** Those to copy into another PNG file. */
export function copiedChunks(chunks: readonly PngChunk[]): PngChunk[] {
  return chunks.filter(({ type, data }) => copiedTypes.includes(type) && !isXmp(data));
}

/** Whether a text is one of XMP, which has a place of its own among the metadata. */
function isXmp(data: Uint8Array): boolean {
  return Buffer.from(data).toString("latin1", 0, xmpKeyword.length) === xmpKeyword;
}

/** A file that sharp wrote without metadata, and they: right behind the header. */
export function pngWithMetadata(bytes: Buffer, metadata: PictureMetadata): Buffer {
  // sharp writes a density in any case, of one pixel per millimetre where it was given none.
  const hasDensity = bytes.toString("latin1", headerEnd + 4, headerEnd + 8) === "pHYs";
  return Buffer.concat([
    bytes.subarray(0, headerEnd),
    ...metadataChunks(metadata).map(({ type, data }) => pngChunk(type, data)),
    bytes.subarray(headerEnd + (hasDensity ? chunkExtra + 9 : 0)),
  ]);
}

function metadataChunks(metadata: PictureMetadata): PngChunk[] {
  const { icc, xmp, density, pngChunks = [] } = metadata;
  const exif = metadata.exif ?? orientationExif(metadata.orientation);
  const hasDensity = pngChunks.some(({ type }) => type === "pHYs");
  return [
    ...(icc ? [{ type: "iCCP", data: profileData(icc) }] : []),
    ...pngChunks,
    ...(exif ? [{ type: "eXIf", data: exif }] : []),
    ...(density && !hasDensity ? [{ type: "pHYs", data: densityData(density) }] : []),
    ...(xmp ? [{ type: "iTXt", data: xmpData(xmp) }] : []),
  ];
}

/** Name, end of the name, method 0: deflated. */
function profileData(icc: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from("icc\0\0", "latin1"), deflateSync(icc)]);
}

/** Keyword, not compressed, no language, keyword not translated. */
function xmpData(xmp: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${xmpKeyword}\0\0\0\0\0`, "latin1"), xmp]);
}

/** Pixels per metre across and down, and that metres they are. */
function densityData(density: number): Uint8Array {
  const data = Buffer.alloc(9);
  const perMetre = Math.round(density / metresPerInch);
  data.writeUInt32BE(perMetre, 0);
  data.writeUInt32BE(perMetre, 4);
  data[8] = 1;
  return data;
}
