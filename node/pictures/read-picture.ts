import { readFile } from "node:fs/promises";
import type { Metadata, Sharp } from "sharp";
import { decodeIml } from "../../src/images/decoded-image.js";
import { jpegBlocksOf } from "../../src/images/jpeg-tables.js";
import { isIml, pictureError, requireBytes } from "../decode-image.js";
import { failTo, requirePath } from "../files.js";
import type { BitDepth, Picture, PictureMetadata } from "./picture.js";
import { copiedChunks, pngChunksOf } from "./png-chunks.js";
import { isLosslessWebp } from "./webp-chunks.js";

/**
 * Reads a picture with all of its channels as they are stored: keeps the curve, the colour profile
 * and the orientation. Reads PNG, JPEG, WebP, TIFF and van Hateren's `.iml`, and the other formats
 * that sharp supports, of which it keeps only pixels and profile.
 *
 * Palettes and 1, 2 or 4 bits become 8 bits. Colours of a TIFF that are multiplied by alpha are
 * divided by it.
 *
 * @throws GaussianizeError unless the file holds exactly one grey or RGB picture, with or without
 *   alpha
 *
 * @example
 * ```js
 * import { embeddedPhotographs, readPicture } from "gaussianize/node";
 *
 * const picture = await readPicture(embeddedPhotographs()[0].path);
 * console.log(picture.channels.length, picture.format);
 * ```
 */
export async function readPicture(path: string): Promise<Picture> {
  requirePath(path, 'readPicture("photo.png")');
  const bytes = await readFile(path).catch(failTo("read", path));
  requireBytes(bytes.length, path);
  if (isIml(path)) return imlPicture(bytes, path);
  try {
    return await decoded(bytes, path);
  } catch (error) {
    throw pictureError(path, error);
  }
}

function imlPicture(bytes: Buffer, source: string): Picture {
  const { width, height, pixels } = decodeIml(bytes, source);
  return {
    width,
    height,
    channels: [pixels],
    alpha: null,
    bitDepth: 16,
    format: "iml",
    isLossy: false,
    metadata: {},
    source,
  };
}

async function decoded(bytes: Buffer, source: string): Promise<Picture> {
  // Loaded late: commands that read no pictures need not wait for it.
  const { default: sharp } = await import("sharp");
  const header = await sharp(bytes).metadata();
  requireOnePicture(header, bytes);
  const bitDepth = bitDepthOf(header);
  requireKnownColours(header);
  const { samples, stride } = await rawSamples(bytes, header, bitDepth);
  requireFinite(samples);
  const scale = bitDepth === "float" ? 1 : 2 ** bitDepth - 1;
  const colours = header.channels - (header.hasAlpha ? 1 : 0);
  const channel = (k: number): Float32Array => everyNth(samples, k, stride, scale);
  const jpeg = header.format === "jpeg" ? jpegBlocksOf(bytes) : undefined;
  return {
    width: header.width,
    height: header.height,
    channels: Array.from({ length: colours }, (_, k) => channel(k)),
    alpha: header.hasAlpha ? channel(stride - 1) : null,
    bitDepth,
    format: header.format,
    isLossy: isLossy(header, bytes),
    ...(jpeg && { jpeg }),
    metadata: metadataOf(header, bytes),
    source,
  };
}

function requireOnePicture({ pages = 1, format }: Metadata, bytes: Buffer): void {
  if (pages > 1) {
    throw new Error(`it holds ${pages} pictures (pages, or an animation), not one`);
  }
  // libvips reads only the first picture of an animated PNG.
  if (format === "png" && pngChunksOf(bytes).some(({ type }) => type === "acTL")) {
    throw new Error("it is an animation, not one picture");
  }
}

function bitDepthOf({ depth }: Metadata): BitDepth {
  if (depth === "uchar") return 8;
  if (depth === "ushort") return 16;
  if (depth === "float") return "float";
  throw new Error(`its samples are of the kind ${depth}, not 8 bits, 16 bits or float`);
}

const greySpaces = ["b-w", "grey16"];
const colourSpaces = ["srgb", "rgb16", "scrgb"];

function requireKnownColours({ space, channels, hasAlpha }: Metadata): void {
  const colours = channels - (hasAlpha ? 1 : 0);
  if (greySpaces.includes(space) && colours === 1) return;
  if (colourSpaces.includes(space) && colours === 3) return;
  const found =
    space === "cmyk" ? "its colours are CMYK" : `it has ${channels} channels (${space})`;
  throw new Error(`${found}, not grey or RGB with or without alpha`);
}

function requireFinite(samples: Samples): void {
  if (!(samples instanceof Float32Array)) return;
  const count = samples.reduce((sum, value) => sum + (Number.isFinite(value) ? 0 : 1), 0);
  if (count > 0) throw new Error(`${count} of its ${samples.length} values are not finite`);
}

function everyNth(samples: Samples, first: number, stride: number, scale: number): Float32Array {
  const values = new Float32Array(samples.length / stride);
  for (let k = 0; k < values.length; k++) values[k] = samples[first + k * stride] / scale;
  return values;
}

function isLossy({ format }: Metadata, bytes: Buffer): boolean {
  if (format === "webp") return !isLosslessWebp(bytes);
  return format === "jpeg" || format === "heif";
}

type Samples = Uint8Array | Uint16Array | Float32Array;

interface RawSamples {
  /** All samples, pixel by pixel. */
  readonly samples: Samples;
  /** Samples per pixel: colours first (three equal ones for some grey pictures), alpha last. */
  readonly stride: number;
}

/** Returns all samples, with alpha, without sharp's default conversions. */
async function rawSamples(
  bytes: Buffer,
  { space, channels }: Metadata,
  bitDepth: BitDepth,
): Promise<RawSamples> {
  const { default: sharp } = await import("sharp");
  const open = (): Sharp => sharp(bytes, { ignoreIcc: true });
  // "b-w" would drop alpha; "srgb" repeats the code of 8-bit grey three times.
  if (bitDepth === 8) return rawOf(open().toColourspace("srgb").raw(), 8);
  if (bitDepth === 16) return rawOf(open().toColourspace(space).raw({ depth: "ushort" }), 16);
  const floats = (image: Sharp) => rawOf(image.raw({ depth: "float" }), bitDepth);
  const colour = await floats(open().toColourspace(space));
  if (channels !== 2) return colour;
  // Grey floats lose their alpha, and "scrgb" would clip them to 0 … 255.
  const alpha = await floats(open().toColourspace(space).extractChannel(1));
  return together(colour.samples, alpha.samples);
}

async function rawOf(image: Sharp, bitDepth: BitDepth): Promise<RawSamples> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  const { buffer, byteOffset, byteLength } = data;
  const samples =
    bitDepth === 8
      ? data
      : bitDepth === 16
        ? new Uint16Array(buffer, byteOffset, byteLength / 2)
        : new Float32Array(buffer, byteOffset, byteLength / 4);
  return { samples, stride: info.channels };
}

function together(colour: Samples, alpha: Samples): RawSamples {
  const samples = new Float32Array(2 * colour.length);
  for (let k = 0; k < colour.length; k++) {
    samples[2 * k] = colour[k];
    samples[2 * k + 1] = alpha[k];
  }
  return { samples, stride: 2 };
}

/** Formats whose pixels sharp does not rotate. It rotates HEIF and leaves its EXIF unchanged. */
const formatsAsStored = ["png", "jpeg", "webp", "tiff"];
/** Density that libvips reports, and readers assume, if a PNG or JPEG file has none. */
const unsaidDensity = 72;
const exifPrefix = "Exif\0\0";

function metadataOf(header: Metadata, bytes: Buffer): PictureMetadata {
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

/** Names of TIFF tags that sharp does not report. */
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

/** Returns the names of such tags in the first directory. Ignores BigTIFF, which is rare. */
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
