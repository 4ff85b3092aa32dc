/**
 * Reads the quantisation tables of JPEG files (ITU-T T.81, annex B), from which noise is estimated.
 */

/** Blocks of 8×8 pixels whose cosine coefficients were rounded to multiples of steps. */
export interface JpegBlocks {
  /**
   * 64 steps of luma in grey levels of 255, row by row; horizontal frequency grows to the right.
   */
  readonly steps: readonly number[];
  /** Pixels from the left and upper edge to the first whole block, 0 to 7. */
  readonly left: number;
  readonly top: number;
}

const markers = { tables: 0xdb, scan: 0xda, exif: 0xe1 } as const;

/** Row and column of the k-th step in the order of the file: diagonals, up and down in turns. */
const zigzag = Array.from({ length: 15 }, (_, sum) => {
  const rows = Array.from({ length: 8 }, (_, row) => row).filter((row) => isSide(sum - row));
  return (sum % 2 === 0 ? rows.reverse() : rows).map((row) => 8 * row + sum - row);
}).flat();

function isSide(place: number): boolean {
  return place >= 0 && place < 8;
}

/** Returns undefined if the bytes are not a JPEG file or are damaged. */
export function jpegBlocksOf(bytes: Uint8Array): JpegBlocks | undefined {
  for (const { marker, data } of segmentsOf(bytes)) {
    const steps = marker === markers.tables ? firstTable(data) : undefined;
    if (steps) return { steps, left: 0, top: 0 };
  }
  return undefined;
}

/** The blocks in a part of an image, which begins so many pixels from its left and upper edge. */
export function jpegBlocksFrom(blocks: JpegBlocks, left: number, top: number): JpegBlocks {
  const next = (before: number, cut: number): number => (((before - cut) % 8) + 8) % 8;
  return { ...blocks, left: next(blocks.left, left), top: next(blocks.top, top) };
}

interface Segment {
  readonly marker: number;
  readonly data: Uint8Array;
}

/** Those before the pixels. */
function* segmentsOf(bytes: Uint8Array): Generator<Segment> {
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

/** Whether the file asks viewers to turn or mirror the picture, which moves its blocks. */
export function isJpegTurned(bytes: Uint8Array): boolean {
  for (const { marker, data } of segmentsOf(bytes)) {
    const name = String.fromCharCode(...data.subarray(0, exifName.length));
    if (marker === markers.exif && name === exifName) {
      return orientationIn(data.subarray(exifName.length)) !== 1;
    }
  }
  return false;
}

/** Orientation in the first directory of a TIFF structure; 1 (upright) if there is none. */
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

/** Table 0 of a segment: common encoders use it for luma. */
function firstTable(data: Uint8Array): readonly number[] | undefined {
  let at = 0;
  while (at < data.length) {
    const isWide = data[at] >> 4 === 1;
    const number = data[at] & 15;
    const size = isWide ? 128 : 64;
    if (at + 1 + size > data.length) return undefined;
    if (number === 0) return stepsAt(data.subarray(at + 1, at + 1 + size), isWide);
    at += 1 + size;
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
