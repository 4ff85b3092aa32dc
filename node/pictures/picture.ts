import { isGrey } from "../../src/denoising/denoise-channels.js";
import type { JpegBlocks } from "../../src/images/jpeg-tables.js";
import { rangeOf } from "../../src/numbers/order-statistics.js";

/** A picture file with all of its content, so that a changed version can replace it. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /**
   * One channel of grey, or red, green and blue: codes divided by the largest code, from 0 to 1, in
   * the file's own curve and colour profile. Samples of floating-point files are unchanged.
   */
  readonly channels: readonly Float32Array[];
  /** Opacity from 0 to 1, not multiplied into the channels; null if the file has none. */
  readonly alpha: Float32Array | null;
  readonly bitDepth: BitDepth;
  /** Format of the file as sharp names it: "png", "jpeg" …; or "iml", van Hateren's format. */
  readonly format: string;
  /** Whether the file has lost detail: JPEG, HEIF and WebP, except lossless WebP. */
  readonly isLossy: boolean;
  /** Quantisation tables and blocks of a JPEG file. */
  readonly jpeg?: JpegBlocks | undefined;
  readonly metadata: PictureMetadata;
  /** The file it came from. */
  readonly source: string;
}

export type BitDepth = 8 | 16 | "float";

/** Formats in which pictures can be written. */
export type PictureFormat = "png" | "jpeg" | "webp" | "tiff";

/** Metadata of a file, byte for byte. None of it is applied to the pixels. */
export interface PictureMetadata {
  readonly icc?: Uint8Array;
  /** A TIFF structure, without the prefix "Exif\0\0" of some formats. */
  readonly exif?: Uint8Array;
  readonly xmp?: Uint8Array;
  /** A Photoshop block in JPEG, bare records in TIFF. */
  readonly iptc?: Uint8Array;
  /** Rotation for display, 1 to 8 as in EXIF. Pixels are as stored. */
  readonly orientation?: number;
  /** Pixels per inch. */
  readonly density?: number;
  /** Chunks of a PNG file without a field of their own here: gamma, primaries, texts. */
  readonly pngChunks?: readonly PngChunk[];
  /** Names of metadata that the file has but that cannot be read and will not be written. */
  readonly unread?: readonly string[];
}

export interface PngChunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Returns the EXIF block, or one made from the orientation if the file stored that elsewhere. */
export function exifOf({ exif, orientation = 1 }: PictureMetadata): Uint8Array | undefined {
  if (exif || orientation === 1) return exif;
  // The smallest block: a TIFF structure with one directory of one entry.
  const bytes = Buffer.alloc(26);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4); // offset of the directory
  bytes.writeUInt16LE(1, 8);
  bytes.writeUInt16LE(0x0112, 10);
  bytes.writeUInt16LE(3, 12); // one 16-bit number
  bytes.writeUInt32LE(1, 14);
  bytes.writeUInt16LE(orientation, 18);
  return bytes;
}

/** Returns the lowest and the highest value of all channels. */
export function pictureRange({ channels }: Pick<Picture, "channels">) {
  const ranges = channels.map(rangeOf);
  return {
    lowest: Math.min(...ranges.map(({ lowest }) => lowest)),
    highest: Math.max(...ranges.map(({ highest }) => highest)),
  };
}

/**
 * Returns a grey picture with as many channels as another grey picture, since a file in colour
 * stores grey as three equal channels. Returns other pictures unchanged.
 */
export function matchChannels(picture: Picture, other: Picture): Picture {
  const count = other.channels.length;
  if (picture.channels.length === count || !isGrey(picture) || !isGrey(other)) return picture;
  const [grey] = picture.channels;
  return { ...picture, channels: Array.from({ length: count }, () => grey) };
}
