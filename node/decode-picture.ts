/** Decodes pictures with sharp, without the conversions that it makes by default. */
import type { Metadata, Sharp } from "sharp";
import type { DecodedImage } from "../src/images/decoded-image.js";
import { type Luminance, luminancePixels, weightedPixels } from "../src/images/luminance.js";

export type DecodedPicture = Omit<DecodedImage, "source">;

/** Number of bits of each kind of sample that is supported, by sharp's name of the kind. */
const depths: Readonly<Record<string, 8 | 16 | 32>> = { uchar: 8, ushort: 16, float: 32 };
const sampleKinds = { 8: "uchar", 16: "ushort", 32: "float" } as const;

/** Colour spaces whose values are kept. All others (CMYK, Lab …) are converted to sRGB. */
const plainSpaces = ["b-w", "grey16", "srgb", "rgb16", "scrgb"];

/** Decodes the bytes of a file. Throws sharp's errors, or one that ends "Cannot read … : ". */
export async function decodePicture(
  bytes: Uint8Array,
  luminance: Luminance,
): Promise<DecodedPicture> {
  // Loaded late: commands that read no pictures need not wait for it.
  const { default: sharp } = await import("sharp");
  const metadata = await sharp(bytes).metadata();
  requireKnownSamples(metadata);
  const isPlain = plainSpaces.includes(metadata.space);
  const depth = isPlain ? depths[metadata.depth] : 8;
  // Converting sRGB to sRGB would only round, and 16-bit colours coarsely.
  const image = sharp(bytes, { ignoreIcc: isSrgbProfile(metadata.icc) });
  const { data, info } = await inSrgb(image, metadata)
    .autoOrient()
    .removeAlpha()
    .toColourspace(isPlain ? metadata.space : "srgb")
    .raw({ depth: sampleKinds[depth] })
    .toBuffer({ resolveWithObject: true });
  return {
    width: info.width,
    height: info.height,
    pixels: pixelsOf(data, depth, info.channels, luminance),
    depth,
    levels: levelsOf(metadata, depth),
    spacing: depth === 32 ? "none" : luminance === "linear" ? "srgb" : "even",
    channels: info.channels < 3 ? 1 : 3,
  };
}

/**
 * Returns the size of a picture (a path or bytes) from its header, after rotation as in {@link
 * decodePicture}. Throws the same errors.
 */
export async function pictureSize(
  source: string | Uint8Array,
): Promise<{ width: number; height: number }> {
  const { default: sharp } = await import("sharp");
  const metadata = await sharp(source).metadata();
  requireKnownSamples(metadata);
  const { width, height } = metadata.autoOrient;
  return { width, height };
}

function requireKnownSamples({ depth }: Metadata): void {
  if (Object.hasOwn(depths, depth)) return;
  throw new Error(`its samples are of the kind ${depth}, not 8 bits, 16 bits or float`);
}

/** Asks sharp for sRGB: by default it converts 16-bit colours with a profile to Display P3. */
function inSrgb(image: Sharp, { space, icc }: Metadata): Sharp {
  const needsAsking = space === "rgb16" && icc !== undefined && !isSrgbProfile(icc);
  return needsAsking ? image.withIccProfile("srgb") : image;
}

/**
 * Whether the name of a profile, in ASCII or UTF-16, is that of sRGB. "sRGB" alone is not enough:
 * some profiles have its colours and a linear curve.
 */
function isSrgbProfile(icc: Buffer | undefined): boolean {
  const text = icc?.toString("latin1").replaceAll("\0", "") ?? "";
  return /sRGB IEC61966-2\.1|GIMP built-in sRGB/.test(text);
}

function pixelsOf(
  data: Buffer,
  depth: 8 | 16 | 32,
  channels: 1 | 2 | 3 | 4,
  luminance: Luminance,
): Float32Array {
  const { buffer, byteOffset, byteLength } = data;
  if (depth === 8) return luminancePixels(luminance, data, channels);
  if (depth === 16) {
    const samples = new Uint16Array(buffer, byteOffset, byteLength / 2);
    return luminancePixels(luminance, samples, channels);
  }
  const samples = new Float32Array(buffer, byteOffset, byteLength / 4);
  const pixels = weightedPixels(luminance, samples, channels);
  if (!pixels.every(Number.isFinite)) throw new Error("it has values that are not finite");
  return pixels;
}

/** Number of grey levels. Entries of a palette have 8 bits, even if their indices have fewer. */
function levelsOf({ bitsPerSample, isPalette }: Metadata, depth: 8 | 16 | 32): number {
  if (depth === 32) return Infinity;
  return 2 ** (isPalette ? depth : Math.min(bitsPerSample ?? depth, depth));
}
