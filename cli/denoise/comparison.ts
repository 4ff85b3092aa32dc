/** Draws pictures side by side below their names, and their most detailed part, enlarged. */
import type { PictureChannels } from "../../src/denoising/denoise-channels.js";
import { summedArea } from "../../src/numbers/summed-area.js";
import { sideBySide } from "../../src/figures/mosaics.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import type { Picture } from "../../node/pictures/picture.js";
import { type Region, cropped, enlarged, shrunk } from "../pictures.js";

/** Largest width of each picture in pixels; wider ones are shrunk. */
const widest = 768;
const zoom = 4;
const gap = 8;

export interface Labelled {
  readonly picture: Picture;
  /** Name, and words to drop if there is no room: "denoised", "30.13 dB". */
  readonly label: readonly string[];
}

export function comparisonOf(all: readonly Labelled[], guide: PictureChannels): Picture {
  const pictures = all.map(({ picture }) => picture);
  const [{ width, height }] = pictures;
  const shown = Math.min(widest, width);
  const size = { width: shown, height: Math.max(1, Math.round((height * shown) / width)) };
  const region = mostDetailed(guide, {
    width: Math.min(width, Math.max(1, Math.floor(size.width / zoom))),
    height: Math.min(height, Math.max(1, Math.floor(size.height / zoom))),
  });
  const labels = all.map(({ label }) => labelImage(label, size.width));
  const count = Math.max(...pictures.map(({ channels }) => channels.length));
  const channels = Array.from({ length: count }, (_, c) => {
    const images = pictures.map((picture) => channelOf(picture, c));
    const rows = [
      labels,
      images.map((image) => overview(image, region, size)),
      images.map((image) => enlargedTo(cropped(image, region), size.width)),
    ];
    return stacked(rows.map((row) => sideBySide(row, gap)));
  });
  const { width: wide, height: high } = channels[0];
  return {
    width: wide,
    height: high,
    channels: channels.map(({ pixels }) => pixels),
    alpha: null,
    bitDepth: 8,
    format: "png",
    isLossy: false,
    metadata: profileOf(pictures[0]),
    source: pictures[0].source,
  };
}

/** Returns the colour profile of a picture, which its comparison needs, too. */
function profileOf({ metadata: { icc } }: Picture): Picture["metadata"] {
  return icc ? { icc } : {};
}

function channelOf({ width, height, channels }: Picture, c: number): GreyImage {
  return { width, height, pixels: channels[Math.min(c, channels.length - 1)] };
}

/** Returns the whole picture with a frame, white within black, around the part enlarged below. */
function overview(
  image: GreyImage,
  { left, top, width, height }: Region,
  size: { readonly width: number; readonly height: number },
): GreyImage {
  const small = size.width === image.width ? image : shrunk(image, size.width, size.height);
  const pixels = small.pixels.slice();
  const scale = size.width / image.width;
  for (const [outset, value] of [
    [2, 0],
    [1, 1],
  ] as const) {
    const x = [Math.round(left * scale) - outset, Math.round((left + width) * scale) - 1 + outset];
    const y = [Math.round(top * scale) - outset, Math.round((top + height) * scale) - 1 + outset];
    const put = (row: number, column: number): void => {
      if (row < 0 || row >= small.height || column < 0 || column >= small.width) return;
      pixels[row * small.width + column] = value;
    };
    for (let column = x[0]; column <= x[1]; column++) for (const row of y) put(row, column);
    for (let row = y[0]; row <= y[1]; row++) for (const column of x) put(row, column);
  }
  return { ...small, pixels };
}

/** Enlarges by a whole number, at least 1. */
function enlargedTo(image: GreyImage, width: number): GreyImage {
  return enlarged(image, Math.max(1, Math.floor(width / image.width)));
}

/** Draws a label in letters of up to three times their size; drops words that do not fit. */
function labelImage(label: readonly string[], width: number): GreyImage {
  const zoom = Math.min(3, Math.max(1, Math.floor(width / textWidth("denoised 30.13 dB"))));
  const texts = label.map((_, k) => label.slice(0, label.length - k).join(" "));
  const text = texts.find((words) => zoom * (textWidth(words) + 1) <= width) ?? "";
  const { width: length, height, pixels } = textImage(text, zoom);
  const strip = new Float32Array(width * (height + zoom)).fill(1);
  for (let row = 0; row < height; row++) {
    strip.set(pixels.subarray(row * length, (row + 1) * length), (row + zoom) * width + zoom);
  }
  return { width, height: height + zoom, pixels: strip };
}

function stacked(rows: readonly GreyImage[]): GreyImage {
  const width = Math.max(...rows.map((row) => row.width));
  const height = rows.reduce((sum, row) => sum + row.height + gap, -gap);
  const pixels = new Float32Array(width * height).fill(1);
  let top = 0;
  for (const image of rows) {
    for (let row = 0; row < image.height; row++) {
      const values = image.pixels.subarray(row * image.width, (row + 1) * image.width);
      pixels.set(values, (top + row) * width);
    }
    top += image.height + gap;
  }
  return { width, height, pixels };
}

/** Finds the region where differences of neighbouring pixels, in all channels, sum to most. */
function mostDetailed(
  { width, height, channels }: PictureChannels,
  size: { readonly width: number; readonly height: number },
): Region {
  const detailIn = summedArea(width, height, (before, x, y) => {
    let sum = before;
    const k = y * width + x;
    for (const channel of channels) {
      if (x > 0) sum += Math.abs(channel[k] - channel[k - 1]);
      if (y > 0) sum += Math.abs(channel[k] - channel[k - width]);
    }
    return sum;
  });
  let best = { left: 0, top: 0, detail: -1 };
  for (let top = 0; top + size.height <= height; top++) {
    for (let left = 0; left + size.width <= width; left++) {
      const [right, bottom] = [left + size.width, top + size.height];
      const detail = detailIn({ left, right, top, bottom });
      if (detail > best.detail) best = { left, top, detail };
    }
  }
  return { left: best.left, top: best.top, ...size };
}

/** A font of 5×7 pixels with the few characters of labels: no system font is needed. */
const [glyphWidth, glyphHeight] = [5, 7];
/** Pixels from one character to the next. */
const advance = glyphWidth + 1;

/** Rows from top to bottom, a digit in base 32 each; its highest bit is the leftmost pixel. */
const glyphs: Readonly<Record<string, string>> = {
  " ": "0000000",
  ".": "00000cc",
  "0": "ehjlphe",
  "1": "4c4444e",
  "2": "eh1248v",
  "3": "v2421he",
  "4": "26aiv22",
  "5": "vgu11he",
  "6": "68guhhe",
  "7": "v124888",
  "8": "ehhehhe",
  "9": "ehhf12c",
  B: "uhhuhhu",
  a: "00e1fhf",
  c: "00egghe",
  d: "11djhhf",
  e: "00ehvge",
  i: "40c444e",
  l: "c44444e",
  n: "00mphhh",
  o: "00ehhhe",
  s: "00ege1u",
  y: "00hhf1e",
  "∞": "000alla",
};

/** Returns the width of a text in pixels of the font. */
function textWidth(text: string): number {
  return Math.max(0, advance * text.length - 1);
}

/** Draws black (0) on white (1), zoom×zoom for each pixel; unknown characters are blank. */
export function textImage(text: string, zoom: number): GreyImage {
  const [width, height] = [zoom * textWidth(text), zoom * glyphHeight];
  const pixels = new Float32Array(width * height).fill(1);
  for (let k = 0; k < pixels.length; k++) {
    const column = Math.floor((k % width) / zoom);
    const row = Math.floor(k / width / zoom);
    if (isInk(text.charAt(Math.floor(column / advance)), column % advance, row)) pixels[k] = 0;
  }
  return { width, height, pixels };
}

function isInk(character: string, column: number, row: number): boolean {
  const rows = glyphs[character] ?? glyphs[" "];
  return ((parseInt(rows[row], 32) >> (glyphWidth - 1 - column)) & 1) === 1;
}
