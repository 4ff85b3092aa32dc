/** Reads the quantisation tables of JPEG files (ITU-T T.81, annex B), used to estimate noise. */

/** Blocks of 8×8 pixels whose cosine coefficients were rounded to multiples of steps. */
export interface JpegBlocks {
  /** 64 steps of luma in grey levels of 255, row by row; horizontal frequency grows rightwards. */
  readonly steps: readonly number[];
  /** Pixels from the left and upper edge to the first whole block, 0 to 7. */
  readonly left: number;
  readonly top: number;
}

const markers = { tables: 0xdb, scan: 0xda, exif: 0xe1 } as const;

/** Row and column of the k-th step in the order of the file: diagonals, up and down in turns. */
const zigzag = Array.from({ length: 15 }, (_, sum) => {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7].filter((row) => sum - row >= 0 && sum - row < 8);
  return (sum % 2 === 0 ? rows.reverse() : rows).map((row) => 8 * row + sum - row);
}).flat();

/** Returns undefined if the bytes are not a JPEG file or are damaged. */
export function jpegBlocksOf(bytes: Uint8Array): JpegBlocks | undefined {
  for (const { marker, data } of segmentsOf(bytes)) {
    const steps = marker === markers.tables ? firstTable(data) : undefined;
    if (steps) return { steps, left: 0, top: 0 };
  }
  return undefined;
}

/** Returns the blocks of the part of an image that begins at pixel (left, top). */
export function jpegBlocksFrom(blocks: JpegBlocks, left: number, top: number): JpegBlocks {
  const next = (before: number, cut: number): number => (((before - cut) % 8) + 8) % 8;
  return { ...blocks, left: next(blocks.left, left), top: next(blocks.top, top) };
}

/** Yields the segments before the pixels. */
function* segmentsOf(
  bytes: Uint8Array,
): Generator<{ readonly marker: number; readonly data: Uint8Array }> {
  if (bytes.length < 2 || bytes[0] !== 0xff || bytes[1] !== 0xd8) return;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== markers.scan) {
    const length = 256 * bytes[at + 2] + bytes[at + 3];
    yield { marker: bytes[at + 1], data: bytes.subarray(at + 4, at + 2 + length) };
    at += 2 + length;
  }
}

const exifName = "Exif\0\0";
const orientationTag = 0x0112;

/** Tells whether the file asks viewers to turn or mirror the picture, which moves its blocks. */
export function isJpegTurned(bytes: Uint8Array): boolean {
  for (const { marker, data } of segmentsOf(bytes)) {
    const name = String.fromCharCode(...data.subarray(0, exifName.length));
    if (marker === markers.exif && name === exifName) {
      return orientationIn(data.subarray(exifName.length)) !== 1;
    }
  }
  return false;
}

/** Returns the orientation in the first directory of a TIFF structure, by default 1 (upright). */
function orientationIn(tiff: Uint8Array): number {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (tiff.length < 10) return 1;
  const isLittle = tiff[0] === 0x49;
  const start = view.getUint32(4, isLittle);
  if (start + 2 > tiff.length) return 1;
  const count = view.getUint16(start, isLittle);
  for (let k = 0; k < count && start + 14 + 12 * k <= tiff.length; k++) {
    const entry = start + 2 + 12 * k;
    if (view.getUint16(entry, isLittle) === orientationTag)
      return view.getUint16(entry + 8, isLittle);
  }
  return 1;
}

/** Returns table 0 of a segment, which common encoders use for luma. */
function firstTable(data: Uint8Array): readonly number[] | undefined {
  let at = 0;
  while (at < data.length) {
    const isWide = data[at] >> 4 === 1;
    const next = at + 1 + (isWide ? 128 : 64);
    if (next > data.length) return undefined;
    if ((data[at] & 15) === 0) return stepsAt(data.subarray(at + 1, next), isWide);
    at = next;
  }
  return undefined;
}

function stepsAt(data: Uint8Array, isWide: boolean): readonly number[] {
  const steps = new Array<number>(64).fill(1);
  zigzag.forEach((place, k) => {
    steps[place] = isWide ? 256 * data[2 * k] + data[2 * k + 1] : data[k];
  });
  return steps;
}
