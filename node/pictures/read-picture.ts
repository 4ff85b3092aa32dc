import { readFile } from "node:fs/promises";
import type { Metadata, Sharp } from "sharp";
import { GaussianizeError } from "../../src/errors.js";
import { decodeIml } from "../../src/images/decoded-image.js";
import { jpegBlocksOf } from "../../src/images/jpeg-tables.js";
import { isIml, pictureError } from "../decode-image.js";
import { fileError } from "../file-errors.js";
import { metadataOf } from "./picture-metadata.js";
import type { BitDepth, Picture } from "./picture.js";
import { pngChunksOf } from "./png-chunks.js";
import { isLosslessWebp } from "./webp-chunks.js";

/**
 * Reads a picture with all of its channels as they are stored: no curve is removed, no colour
 * profile applied, nothing turned upright. PNG, JPEG, WebP, TIFF, what else sharp knows by its
 * content (of which only pixels and profile are kept), and van Hateren's `.iml`.
 *
 * Palettes and 1, 2 or 4 bits are read as 8 bits. Of a TIFF whose colours are multiplied by alpha,
 * the factor is divided out.
 *
 * @throws GaussianizeError for files that hold anything but one picture, grey or RGB, with or
 *   without alpha
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
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  if (bytes.length === 0)
    throw new GaussianizeError("file-damaged", `Cannot read ${path}: it is empty.`);
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
  // Loaded late: commands that read no picture need not wait for it.
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
  // libvips shows the first picture of an animated PNG and says nothing of the others.
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
  let strange = 0;
  for (const value of samples) if (!Number.isFinite(value)) strange++;
  if (strange === 0) return;
  throw new Error(`${strange} of its ${samples.length} values are not finite`);
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
  /** Channel by channel, pixel by pixel. */
  readonly samples: Samples;
  /**
   * Samples of a pixel: the colours first, three of them equal for some grey pictures; alpha last.
   */
  readonly stride: number;
}

/**
 * All samples of a picture, alpha among them, without the conversions that sharp makes by default;
 * what they are was found by trying every code.
 */
async function rawSamples(
  bytes: Buffer,
  { space, channels }: Metadata,
  bitDepth: BitDepth,
): Promise<RawSamples> {
  const { default: sharp } = await import("sharp");
  const open = (): Sharp => sharp(bytes, { ignoreIcc: true });
  // Asked for "b-w", sharp drops alpha; "srgb" of 8-bit grey is the same code three times.
  if (bitDepth === 8) return rawOf(open().toColourspace("srgb").raw(), 8);
  if (bitDepth === 16) return rawOf(open().toColourspace(space).raw({ depth: "ushort" }), 16);
  const floats = (image: Sharp) => rawOf(image.raw({ depth: "float" }), bitDepth);
  // Grey floats, too, lose their alpha, and "scrgb" would cut them to 0 … 255.
  if (channels === 2) {
    const colour = await floats(open().toColourspace(space));
    return together(
      colour.samples,
      (await floats(open().toColourspace(space).extractChannel(1))).samples,
    );
  }
  return floats(open().toColourspace(space));
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
