/** Uncompressed TIFF files written here rather than by sharp, so that reading them proves something. */

export interface TiffContent {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /** The kind of array is the kind of the samples in the file. */
  readonly samples: Uint8Array | Uint16Array | Uint32Array | Float32Array;
}

/** Little-endian, one strip. */
export function tiffBytes({ width, height, channels, samples }: TiffContent): Buffer {
  const bits = 8 * samples.BYTES_PER_ELEMENT;
  const entries: [tag: number, value: number][] = [
    [256, width],
    [257, height],
    [258, bits],
    [259, 1], // not compressed
    [262, channels === 3 ? 2 : 1], // RGB, or grey with black at 0
    [273, 0], // where the pixels begin: filled in below
    [277, channels],
    [278, height],
    [279, samples.byteLength],
    [284, 1], // channels lie together
    [339, samples instanceof Float32Array ? 3 : 1],
  ];
  const directoryLength = 2 + 12 * entries.length + 4;
  const wideBits = 8 + directoryLength;
  const pixels = wideBits + 8;
  const bytes = Buffer.alloc(pixels + samples.byteLength);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(entries.length, 8);
  for (const [i, [tag, value]] of entries.entries()) {
    const at = 10 + 12 * i;
    // Three depths do not fit into the entry and stand behind the directory.
    const isWide = channels === 3 && tag === 258;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(isWide ? 3 : 4, at + 2);
    bytes.writeUInt32LE(isWide ? 3 : 1, at + 4);
    bytes.writeUInt32LE(isWide ? wideBits : tag === 273 ? pixels : value, at + 8);
  }
  for (let i = 0; i < 3; i++) bytes.writeUInt16LE(bits, wideBits + 2 * i);
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), pixels);
  return bytes;
}
