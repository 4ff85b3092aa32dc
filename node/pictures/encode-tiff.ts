/**
 * Writes TIFF 6.0 files, because sharp reduces grey floating point to 8 bits. Little-endian, one
 * page, samples of a pixel together, deflated strips (Adobe's technical note of 2002, which every
 * reader supports).
 */
import { deflateSync } from "node:zlib";
import { GaussianizeError } from "../../src/errors.js";
import type { PictureMetadata } from "./picture.js";

export interface TiffContent {
  readonly width: number;
  readonly height: number;
  /** 1: grey, 2: grey and alpha, 3: RGB, 4: RGB and alpha. */
  readonly channels: number;
  /** Samples of the file, which gets the same number type. */
  readonly samples: Uint8Array | Uint16Array | Float32Array;
  readonly metadata: Pick<PictureMetadata, "icc" | "xmp" | "iptc" | "orientation" | "density">;
}

type Kind = "bytes" | "short" | "long" | "rational" | "undefined";
type Entry = readonly [tag: number, kind: Kind, values: ArrayLike<number>];

const kinds: Readonly<Record<Kind, { code: number; size: number }>> = {
  bytes: { code: 1, size: 1 },
  short: { code: 3, size: 2 },
  long: { code: 4, size: 4 },
  rational: { code: 5, size: 8 },
  undefined: { code: 7, size: 1 },
};

/** Readers hold one strip in memory. */
const bytesPerStrip = 1 << 18;
/** Limit of the 32-bit offsets. */
const largestFile = 2 ** 32 - 1;
const headerLength = 8;

export function encodeTiff(content: TiffContent): Buffer {
  const { rowsPerStrip, strips } = stripsOf(content);
  const offsets: number[] = [];
  let end = headerLength;
  for (const strip of strips) {
    offsets.push(end);
    end += strip.length;
  }
  const directoryAt = end + (end % 2);
  const lengths = strips.map(({ length }) => length);
  const layout = { rowsPerStrip, offsets, lengths };
  const directory = directoryBytes(entriesOf(content, layout), directoryAt);
  if (directoryAt + directory.length > largestFile) {
    throw new GaussianizeError("cannot-write", "A TIFF file cannot be larger than 4 GiB.");
  }
  const header = Buffer.from("II*\0\0\0\0\0", "latin1");
  header.writeUInt32LE(directoryAt, 4);
  return Buffer.concat([header, ...strips, Buffer.alloc(directoryAt - end), directory]);
}

interface StripLayout {
  readonly rowsPerStrip: number;
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

function stripsOf({ width, height, channels, samples }: TiffContent) {
  const rowLength = width * channels;
  const rowsPerStrip = Math.max(
    1,
    Math.floor(bytesPerStrip / (rowLength * samples.BYTES_PER_ELEMENT)),
  );
  const strips: Buffer[] = [];
  for (let row = 0; row < height; row += rowsPerStrip) {
    const lastRow = Math.min(height, row + rowsPerStrip);
    const part = samples.slice(row * rowLength, lastRow * rowLength);
    if (hasPredictor(part)) differences(part, rowLength, channels);
    strips.push(deflateSync(littleEndian(part)));
  }
  return { rowsPerStrip, strips };
}

/** Whether to store differences, which compress far better; those of floats would round. */
function hasPredictor(samples: TiffContent["samples"]): boolean {
  return !(samples instanceof Float32Array);
}

/** Subtracts its left neighbour from each sample, modulo the range: predictor 2. */
function differences(samples: TiffContent["samples"], rowLength: number, channels: number): void {
  for (let start = 0; start < samples.length; start += rowLength) {
    for (let k = start + rowLength - 1; k >= start + channels; k--) {
      samples[k] -= samples[k - channels];
    }
  }
}

function littleEndian(samples: TiffContent["samples"]): Buffer {
  const bytes = Buffer.alloc(samples.byteLength);
  if (samples instanceof Uint8Array) bytes.set(samples);
  else if (samples instanceof Uint16Array) {
    samples.forEach((value, k) => bytes.writeUInt16LE(value, 2 * k));
  } else samples.forEach((value, k) => bytes.writeFloatLE(value, 4 * k));
  return bytes;
}

/** Returns the entries sorted by tag, as the format requires. */
function entriesOf(content: TiffContent, layout: StripLayout): Entry[] {
  const { width, height, channels, samples, metadata } = content;
  const { icc, xmp, iptc, orientation = 1, density = 0 } = metadata;
  const each = (value: number): number[] => new Array<number>(channels).fill(value);
  // A fraction: a whole number of pixels per centimetre need not be whole per inch.
  const resolution = [Math.round(1000 * density), 1000];
  const entries: (Entry | false | undefined)[] = [
    [256, "long", [width]],
    [257, "long", [height]],
    [258, "short", each(8 * samples.BYTES_PER_ELEMENT)],
    [259, "short", [8]], // deflated
    [262, "short", [channels < 3 ? 1 : 2]], // grey with black at 0, or RGB
    [273, "long", layout.offsets],
    [274, "short", [orientation]],
    [277, "short", [channels]],
    [278, "long", [layout.rowsPerStrip]],
    [279, "long", layout.lengths],
    density > 0 && [282, "rational", resolution],
    density > 0 && [283, "rational", resolution],
    [284, "short", [1]], // samples of a pixel together
    density > 0 && [296, "short", [2]], // per inch
    [317, "short", [hasPredictor(samples) ? 2 : 1]],
    channels % 2 === 0 && [338, "short", [2]], // alpha, colours not multiplied by it
    [339, "short", each(samples instanceof Float32Array ? 3 : 1)],
    xmp && [700, "bytes", xmp],
    iptc && [33723, "undefined", iptc],
    icc && [34675, "undefined", icc],
  ];
  return entries.filter((entry): entry is Entry => Array.isArray(entry));
}

/** Returns the directory, followed by the values that are too long for their entries. */
function directoryBytes(entries: readonly Entry[], directoryAt: number): Buffer {
  const directory = Buffer.alloc(2 + 12 * entries.length + 4);
  directory.writeUInt16LE(entries.length, 0);
  const parts = [directory];
  let end = directoryAt + directory.length;
  entries.forEach(([tag, kind, values], i) => {
    const at = 2 + 12 * i;
    const bytes = valueBytes(kind, values);
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(kinds[kind].code, at + 2);
    directory.writeUInt32LE(bytes.length / kinds[kind].size, at + 4);
    if (bytes.length <= 4) {
      bytes.copy(directory, at + 8);
      return;
    }
    directory.writeUInt32LE(end, at + 8);
    const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    parts.push(padded);
    end += padded.length;
  });
  return Buffer.concat(parts);
}

function valueBytes(kind: Kind, values: ArrayLike<number>): Buffer {
  if (kind === "bytes" || kind === "undefined") return Buffer.from(Uint8Array.from(values));
  const size = kind === "short" ? 2 : 4;
  const bytes = Buffer.alloc(size * values.length);
  for (let k = 0; k < values.length; k++) bytes.writeUIntLE(values[k], size * k, size);
  return bytes;
}
