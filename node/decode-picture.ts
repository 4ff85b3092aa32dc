/** Pictures in the formats of sharp, read without the conversions that it makes by default. */
import type { Metadata, Sharp } from "sharp";
import type { DecodedImage } from "../src/images/decoded-image.js";
import { type Luminance, luminancePixels, weightedPixels } from "../src/images/luminance.js";

export type DecodedPicture = Omit<DecodedImage, "source">;

/** What sharp calls the samples that are read here, and how many bits they have. */
const depths: Readonly<Record<string, 8 | 16 | 32>> = { uchar: 8, ushort: 16, float: 32 };
const sampleKinds = { 8: "uchar", 16: "ushort", 32: "float" } as const;

/** Colour spaces whose values are taken as they stand; all others (CMYK, Lab …) become sRGB. */
const plainSpaces = ["b-w", "grey16", "srgb", "rgb16", "scrgb"];

/**
 * Decodes a file's bytes; an error is sharp's own, or ends "Cannot read … as a picture: " with a
 * reason.
 */
export async function decodePicture(
  bytes: Uint8Array,
  luminance: Luminance,
): Promise<DecodedPicture> {
  // Loaded late: commands that read no picture need not wait for it.
  const { default: sharp } = await import("sharp");
  const metadata = await sharp(bytes).metadata();
  requireKnownSamples(metadata);
  const isPlain = plainSpaces.includes(metadata.space);
  const depth = isPlain ? depths[metadata.depth] : 8;
  // A conversion from sRGB to sRGB would only round, colours of 16 bits rather coarsely.
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
 * The size of a picture, a file or its bytes, as its header tells it, set upright as {@link
 * decodePicture} does; the same errors.
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

/**
 * sharp takes 16-bit colours with a profile to Display P3 unless another profile is asked for;
 * 8-bit colours, and all others, it takes to sRGB.
 */
function inSrgb(image: Sharp, { space, icc }: Metadata): Sharp {
  const needsAsking = space === "rgb16" && icc !== undefined && !isSrgbProfile(icc);
  return needsAsking ? image.withIccProfile("srgb") : image;
}

/**
 * Whether a profile is known by its name, in ASCII or UTF-16, to be sRGB. "sRGB" alone would not
 * do: there are profiles of its colours with a linear curve.
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

/** A palette's entries have 8 bits, however few it takes to name them. */
function levelsOf({ bitsPerSample, isPalette }: Metadata, depth: 8 | 16 | 32): number {
  if (depth === 32) return Infinity;
  return 2 ** (isPalette ? depth : Math.min(bitsPerSample ?? depth, depth));
}
