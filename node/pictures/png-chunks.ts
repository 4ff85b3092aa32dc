/** Chunks of PNG files (ISO/IEC 15948): length, type, data, checksum of type and data. */
import { deflateSync } from "node:zlib";
import { pngChunk } from "../../src/figures/encode-png.js";
import { type PictureMetadata, type PngChunk, exifOf } from "./picture.js";

const signatureLength = 8;
/** Bytes of a chunk besides its data: length, type and checksum. */
const chunkExtra = 12;
const headerEnd = signatureLength + chunkExtra + 13;
const xmpKeyword = "XML:com.adobe.xmp";
const metresPerInch = 0.0254;

/** Chunks with colours and texts. The others belong to the pixels, or sharp reads them. */
const copiedTypes = "cICP mDCV cLLI sRGB gAMA cHRM pHYs tEXt zTXt iTXt".split(" ");

/** Returns every complete chunk of a file. */
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

/** Returns the chunks to copy into another PNG file. */
export function copiedChunks(chunks: readonly PngChunk[]): PngChunk[] {
  return chunks.filter(({ type, data }) => copiedTypes.includes(type) && !isXmp(data));
}

/** Whether a text is XMP, which has its own field in the metadata. */
function isXmp(data: Uint8Array): boolean {
  return Buffer.from(data).toString("latin1", 0, xmpKeyword.length) === xmpKeyword;
}

/** Adds metadata after the header of a file that sharp wrote without. */
export function pngWithMetadata(bytes: Buffer, metadata: PictureMetadata): Buffer {
  // sharp always writes a density: one pixel per millimetre if none is given.
  const hasDensity = bytes.toString("latin1", headerEnd + 4, headerEnd + 8) === "pHYs";
  return Buffer.concat([
    bytes.subarray(0, headerEnd),
    ...metadataChunks(metadata).map(({ type, data }) => pngChunk(type, data)),
    bytes.subarray(headerEnd + (hasDensity ? chunkExtra + 9 : 0)),
  ]);
}

function metadataChunks(metadata: PictureMetadata): PngChunk[] {
  const { icc, xmp, density, pngChunks = [] } = metadata;
  const exif = exifOf(metadata);
  const hasDensity = pngChunks.some(({ type }) => type === "pHYs");
  return [
    ...(icc ? [{ type: "iCCP", data: profileData(icc) }] : []),
    ...pngChunks,
    ...(exif ? [{ type: "eXIf", data: exif }] : []),
    ...(density && !hasDensity ? [{ type: "pHYs", data: densityData(density) }] : []),
    ...(xmp ? [{ type: "iTXt", data: xmpData(xmp) }] : []),
  ];
}

/** Returns the name with its end, method 0 (deflated) and the profile. */
function profileData(icc: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from("icc\0\0", "latin1"), deflateSync(icc)]);
}

/** Returns the keyword, uncompressed, without language and translated keyword, and the text. */
function xmpData(xmp: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${xmpKeyword}\0\0\0\0\0`, "latin1"), xmp]);
}

/** Returns horizontal and vertical pixels per metre, and the unit (1: metre). */
function densityData(density: number): Uint8Array {
  const data = Buffer.alloc(9);
  const perMetre = Math.round(density / metresPerInch);
  data.writeUInt32BE(perMetre, 0);
  data.writeUInt32BE(perMetre, 4);
  data[8] = 1;
  return data;
}
