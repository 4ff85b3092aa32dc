/** Reads from the first bytes of a picture file what browsers do not report. */
import { GaussianizeError } from "../src/errors.js";

export interface PictureHeader {
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: RGB, 4: CMYK; undefined if the format does not tell. */
  readonly colours?: 1 | 3 | 4;
  readonly isAnimated: boolean;
  /** Bits of a sample; 8 if the format allows no others. */
  readonly bits: number;
}

/** Throws if a picture has too many pixels. */
export function requireFew(
  { width, height }: { readonly width: number; readonly height: number },
  name: string,
  mostPixels: number,
): void {
  if (width * height <= mostPixels) return;
  const most = `at most ${Math.floor(mostPixels / 1e6)} million are supported`;
  throw new GaussianizeError(
    "unsupported-file",
    `Cannot read ${name}: it has ${width}×${height} pixels; ${most}.`,
  );
}

/** Returns undefined for truncated files, and for formats besides PNG, JPEG, GIF and WebP. */
export function pictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) return pngHeader(view);
    if (startsWith(bytes, "\xff\xd8")) return jpegHeader(view);
    if (startsWith(bytes, "GIF8")) return gifHeader(view);
    if (startsWith(bytes, "RIFF") && textAt(view, 8) === "WEBP") return webpHeader(view);
  } catch (error) {
    // A truncated file, which the decoder will reject.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Array.from(text).every((letter, k) => bytes[k] === letter.charCodeAt(0));
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((k) => view.getUint8(at + k)));
}

function pngHeader(view: DataView): PictureHeader {
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const isGrey = [0, 4].includes(view.getUint8(25));
  let isAnimated = false;
  // Each chunk: length, type, data, checksum. acTL, before the first pixels, marks an animation.
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const type = textAt(view, at + 4);
    if (type === "acTL") isAnimated = true;
    if (type === "IDAT" || type === "acTL") break;
  }
  return { width, height, colours: isGrey ? 1 : 3, isAnimated, bits: view.getUint8(24) };
}

/** Searches the segments for the frame header (ITU T.81, table B.1). */
function jpegHeader(view: DataView): PictureHeader {
  for (let at = 2; ;) {
    while (view.getUint8(at + 1) === 0xff) at++;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const [bits, height, width] = [
        view.getUint8(at + 4),
        view.getUint16(at + 5),
        view.getUint16(at + 7),
      ];
      const components = view.getUint8(at + 9);
      const colours = components === 1 || components === 4 ? components : 3;
      return { width, height, colours, isAnimated: false, bits };
    }
    at += 2 + view.getUint16(at + 2);
  }
}

function gifHeader(view: DataView): PictureHeader {
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  return { width, height, isAnimated: gifPictures(view) > 1, bits: 8 };
}

/** Counts the pictures of a GIF, up to two. */
function gifPictures(view: DataView): number {
  const colourTable = (packed: number): number => (packed & 128 ? 3 << ((packed & 7) + 1) : 0);
  const afterBlocks = (from: number): number => {
    let at = from;
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
    return at + 1;
  };
  let count = 0;
  let at = 13 + colourTable(view.getUint8(10));
  while (at < view.byteLength && count < 2) {
    const kind = view.getUint8(at);
    if (kind === 0x21) at = afterBlocks(at + 2);
    else if (kind === 0x2c) {
      count++;
      // The last picture may be truncated.
      if (at + 10 >= view.byteLength) break;
      at = afterBlocks(at + 11 + colourTable(view.getUint8(at + 9)));
    } else break;
  }
  return count;
}

function webpHeader(view: DataView): PictureHeader | undefined {
  const known = { colours: 3, isAnimated: false, bits: 8 } as const;
  switch (textAt(view, 12)) {
    case "VP8X": {
      const side = (at: number): number =>
        1 + view.getUint16(at, true) + 65536 * view.getUint8(at + 2);
      const isAnimated = (view.getUint8(20) & 2) !== 0;
      return { ...known, width: side(24), height: side(27), isAnimated };
    }
    case "VP8 ": {
      const side = (at: number): number => view.getUint16(at, true) & 0x3fff;
      return { ...known, width: side(26), height: side(28) };
    }
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { ...known, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    default:
      return undefined;
  }
}
