import { isGrey } from "../../src/denoising/denoise-channels.js";
import type { JpegBlocks } from "../../src/images/jpeg-tables.js";
import { rangeOf } from "../../src/numbers/order-statistics.js";

/** A picture file with all that is in it, so that a changed one can be written in its place. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /**
   * One channel of grey, or red, green and blue: codes divided by the largest code, 0 to 1, with
   * whatever curve and colour profile the file has. Samples of floating-point files are as they
   * stand.
   */
  readonly channels: readonly Float32Array[];
  /** On the scale of the channels, which are not multiplied by it; null where the file has none. */
  readonly alpha: Float32Array | null;
  readonly bitDepth: BitDepth;
  /**
   * What sharp calls the format of the file: "png", "jpeg", "webp", "tiff", "gif", "heif" …; "iml"
   * for van Hateren's.
   */
  readonly format: string;
  /** Whether the file had lost something already: JPEG, and WebP unless it says otherwise. */
  readonly isLossy: boolean;
  /** Quantisation of the blocks of a JPEG file. */
  readonly jpeg?: JpegBlocks | undefined;
  readonly metadata: PictureMetadata;
  /** The file it came from. */
  readonly source: string;
}

export type BitDepth = 8 | 16 | "float";

/** Formats that pictures are written in. */
export type PictureFormat = "png" | "jpeg" | "webp" | "tiff";

/** What a file says beside its pixels, byte for byte; nothing of it is applied to them. */
export interface PictureMetadata {
  readonly icc?: Uint8Array;
  /** A TIFF structure, without the "Exif\0\0" that some formats put before it. */
  readonly exif?: Uint8Array;
  readonly xmp?: Uint8Array;
  /** As the format of the file has it: a Photoshop block in JPEG, bare records in TIFF. */
  readonly iptc?: Uint8Array;
  /** How to turn the picture for display, 1 to 8 as in EXIF. Pixels are as stored. */
  readonly orientation?: number;
  /** Pixels per inch. */
  readonly density?: number;
  /** Chunks of a PNG file for which the others have no place: gamma, primaries, texts. */
  readonly pngChunks?: readonly PngChunk[];
  /** What else is known to be in the file and cannot be read, by name; it is not written. */
  readonly unread?: readonly string[];
}

export interface PngChunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** The lowest and the highest value of all channels. */
export function pictureRange({ channels }: Pick<Picture, "channels">): {
  readonly lowest: number;
  readonly highest: number;
} {
  const ranges = channels.map(rangeOf);
  return {
    lowest: Math.min(...ranges.map(({ lowest }) => lowest)),
    highest: Math.max(...ranges.map(({ highest }) => highest)),
  };
}

/**
 * A picture with as many channels as another one, where both are grey: files of colours hold grey
 * pictures three times, so that a grey picture in one channel may be the same as one in three.
 * Others are given back as they are.
 */
export function matchChannels(picture: Picture, other: Picture): Picture {
  const count = other.channels.length;
  if (picture.channels.length === count || !isGrey(picture) || !isGrey(other)) return picture;
  const [grey] = picture.channels;
  return { ...picture, channels: Array.from({ length: count }, () => grey) };
}
