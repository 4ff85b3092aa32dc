import { extname } from "node:path";
import type { Sharp } from "sharp";
import { requireChannels } from "../../src/denoising/denoise-channels.js";
import { GaussianizeError, UsageError, describeValue, expected } from "../../src/errors.js";
import { checkFields } from "../../src/transforms/checks.js";
import { requirePath } from "../files.js";
import { writeAtomically } from "../write-atomically.js";
import { encodeTiff } from "./encode-tiff.js";
import { fitsJpeg, isPhotoshopBlock, jpegWithMetadata } from "./jpeg-segments.js";
import type { BitDepth, Picture, PictureFormat, PictureMetadata } from "./picture.js";
import { pngWithMetadata } from "./png-chunks.js";
import { fitsWebp, webpWithMetadata } from "./webp-chunks.js";

type Pixels = Pick<Picture, "width" | "height" | "channels">;
/** The fields of a picture that go into a file. */
type PictureContent = Pixels & Pick<Picture, "alpha" | "bitDepth" | "isLossy" | "metadata">;

/**
 * Pixels from 0 to 1 with, optionally, the other fields of a picture that was read. By default it
 * has no alpha, 8 bits and no metadata.
 */
export type PictureToWrite = Pixels & Partial<Picture>;

export interface PictureWriteOptions {
  /** Quality of JPEG and lossy WebP, 1 to 100; default 95. JPEG colours keep full resolution. */
  readonly quality?: number;
  /** Whether WebP is lossless; by default it is, unless the picture came from a lossy file. */
  readonly lossless?: boolean;
}

export interface WrittenPicture {
  readonly format: PictureFormat;
  readonly bitDepth: BitDepth;
  /** Parts of the picture that the format cannot hold, as words that continue "not kept: ". */
  readonly notKept: readonly string[];
}

const formats: Readonly<Record<string, PictureFormat>> = {
  ".png": "png",
  ".jpg": "jpeg",
  ".jpeg": "jpeg",
  ".webp": "webp",
  ".tif": "tiff",
  ".tiff": "tiff",
};

/** Longest side in pixels that a format can hold. */
export const longestSide: Readonly<Record<PictureFormat, number>> = {
  png: 2 ** 31 - 1,
  jpeg: 65_535,
  webp: 16_383,
  tiff: 2 ** 31 - 1,
};

/** Returns the format for the ending of a file name, or throws. */
export function pictureFormatOf(path: string): PictureFormat {
  const ending = extname(path).toLowerCase();
  if (Object.hasOwn(formats, ending)) return formats[ending];
  const known = Object.keys(formats).join(", ");
  const found = ending === "" ? "no ending" : describeValue(ending);
  throw new UsageError(
    `Cannot write ${path}: expected a name that ends in one of ${known} but received ${found}.`,
  );
}

/**
 * Writes a picture, as `readPicture` or `denoise` returns it, in the format of the path's ending,
 * completely or not at all. Keeps bit depth, alpha and metadata if the format supports them: 16
 * bits in PNG and TIFF, floating point in TIFF. Clips codes to their range and rounds to the
 * nearest; applies no curve.
 *
 * @example
 * ```js
 * import { embeddedPhotographs, readPicture, writePicture } from "gaussianize/node";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const picture = await readPicture(embeddedPhotographs()[0].path);
 * await writePicture(join(tmpdir(), "copy.png"), picture);
 * console.log("written");
 * ```
 */
export async function writePicture(
  path: string,
  given: PictureToWrite,
  options: PictureWriteOptions = {},
): Promise<WrittenPicture> {
  requirePath(path, 'writePicture("copy.png", picture)');
  const format = pictureFormatOf(path);
  checkOptions(options);
  requireChannels(given);
  const picture = { alpha: null, bitDepth: 8, isLossy: false, metadata: {}, ...given } as const;
  checkValues(picture);
  checkSize(path, picture, format);
  const bitDepth = writtenDepth(picture.bitDepth, format);
  const bytes = await encoded(picture, format, bitDepth, options).catch((error: unknown) => {
    if (error instanceof GaussianizeError) throw error;
    const message = `Cannot write ${path}: the picture could not be encoded.`;
    throw new GaussianizeError("cannot-write", message, { cause: error });
  });
  await writeAtomically(path, bytes);
  const notKept = [...lostPixels(format, picture), ...lostMetadata(format, picture)];
  return { format, bitDepth, notKept };
}

function checkOptions(options: PictureWriteOptions): void {
  checkFields("options", options, ["quality", "lossless"]);
  const { quality = 95 } = options;
  if (Number.isInteger(quality) && quality >= 1 && quality <= 100) return;
  throw expected("quality", "be an integer from 1 to 100", quality);
}

function checkSize(path: string, { width, height }: PictureContent, format: PictureFormat): void {
  const longest = Math.max(width, height);
  if (longest <= longestSide[format]) return;
  throw new GaussianizeError(
    "cannot-write",
    `Cannot write ${path}: a ${format} file has at most ${longestSide[format]} pixels a side; received ${longest}.`,
  );
}

/** Returns the depth of a picture, or the greatest that the format supports. */
function writtenDepth(bitDepth: BitDepth, format: PictureFormat): BitDepth {
  if (format === "tiff") return bitDepth;
  if (format === "png") return bitDepth === "float" ? 16 : bitDepth;
  return 8;
}

async function encoded(
  picture: PictureContent,
  format: PictureFormat,
  bitDepth: BitDepth,
  { quality = 95, lossless = !picture.isLossy }: PictureWriteOptions,
): Promise<Buffer> {
  const { width, height, metadata } = picture;
  const hasAlpha = picture.alpha !== null && format !== "jpeg";
  const { samples, channels } = pictureSamples(picture, bitDepth, hasAlpha);
  if (format === "tiff") {
    return encodeTiff({ width, height, channels, samples, metadata: tiffMetadata(metadata) });
  }
  const { default: sharp } = await import("sharp");
  const raw = { width, height, channels };
  const image = inOwnSpace(sharp(samples, { raw }), channels, bitDepth);
  if (format === "png") return pngWithMetadata(await image.png().toBuffer(), metadata);
  if (format === "jpeg") {
    const bytes = await image.jpeg({ quality, chromaSubsampling: "4:4:4" }).toBuffer();
    return jpegWithMetadata(bytes, metadata);
  }
  // `exact` keeps colours even where alpha is 0.
  const kind = lossless ? { lossless } : { quality, smartSubsample: true };
  const bytes = await image.webp({ ...kind, exact: true }).toBuffer();
  return webpWithMetadata(bytes, { width, height, hasAlpha }, metadata);
}

/** Sets the colour space: by default, sharp writes one channel as three and 16 bits as 8. */
function inOwnSpace(image: Sharp, channels: number, bitDepth: BitDepth): Sharp {
  if (bitDepth === 16) return image.toColourspace(channels < 3 ? "grey16" : "rgb16");
  return image.toColourspace(channels < 3 ? "b-w" : "srgb");
}

/** Drops the Photoshop block of a JPEG: TIFF stores bare records. */
function tiffMetadata(metadata: PictureMetadata): PictureMetadata {
  const { iptc, ...rest } = metadata;
  return iptc && !isPhotoshopBlock(iptc) ? metadata : rest;
}

function lostPixels(format: PictureFormat, picture: PictureContent): string[] {
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

function lostMetadata(format: PictureFormat, { metadata }: PictureContent): string[] {
  const { icc, exif, xmp, iptc, density, pngChunks = [], unread = [] } = metadata;
  const lost: string[] = [];
  if (icc && format === "webp" && !fitsWebp(icc)) lost.push("profile of grey");
  if (exif && (format === "tiff" || (format === "jpeg" && !fitsJpeg("exif", exif)))) {
    lost.push("EXIF");
  }
  if (xmp && format === "jpeg" && !fitsJpeg("xmp", xmp)) lost.push("XMP");
  if (iptc && !hasPlaceForIptc(format, iptc)) lost.push("IPTC");
  // WebP can store it in EXIF only.
  if (density !== undefined && !exif && format === "webp") lost.push("density");
  // Density has its own field.
  const chunks = new Set(pngChunks.map(({ type }) => type).filter((type) => type !== "pHYs"));
  if (chunks.size > 0 && format !== "png") lost.push(`PNG chunks (${[...chunks].join(", ")})`);
  return [...lost, ...unread];
}

function hasPlaceForIptc(format: PictureFormat, iptc: Uint8Array): boolean {
  if (format === "jpeg") return isPhotoshopBlock(iptc) && fitsJpeg("iptc", iptc);
  return format === "tiff" && !isPhotoshopBlock(iptc);
}

interface PictureSamples {
  readonly samples: Uint8Array | Uint16Array | Float32Array;
  /** Samples per pixel, alpha last. */
  readonly channels: 1 | 2 | 3 | 4;
}

/** Returns clipped and rounded codes of the given depth, or floating point unchanged. */
function pictureSamples(
  picture: PictureContent,
  bitDepth: BitDepth,
  hasAlpha: boolean,
): PictureSamples {
  const { alpha } = picture;
  const planes = hasAlpha && alpha ? [...picture.channels, alpha] : picture.channels;
  const channels = planes.length as PictureSamples["channels"];
  const samples = emptySamples(picture.width * picture.height * channels, bitDepth);
  const scale = bitDepth === "float" ? undefined : 2 ** bitDepth - 1;
  planes.forEach((plane, first) => {
    for (let k = 0, at = first; k < plane.length; k++, at += channels) {
      samples[at] =
        scale === undefined ? plane[k] : Math.round(scale * Math.min(1, Math.max(0, plane[k])));
    }
  });
  return { samples, channels };
}

function emptySamples(length: number, bitDepth: BitDepth): PictureSamples["samples"] {
  if (bitDepth === 8) return new Uint8Array(length);
  return bitDepth === 16 ? new Uint16Array(length) : new Float32Array(length);
}

function checkValues({ width, height, channels, alpha }: PictureContent): void {
  const size = width * height;
  const named = channels.map((channel, k) => [`channels[${k}]`, channel] as const);
  for (const [name, values] of alpha ? [...named, ["alpha", alpha] as const] : named) {
    if (values.length !== size) {
      throw expected(name, `hold ${size} values (${width}×${height})`, values.length);
    }
    // A NaN would silently become black.
    const at = values.findIndex((value) => !Number.isFinite(value));
    if (at >= 0) throw expected(`${name}[${at}]`, "be finite", values[at]);
  }
}
