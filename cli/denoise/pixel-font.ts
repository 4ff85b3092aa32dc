/** A font of 5×7 pixels with the few characters of labels: no system font is needed. */
import type { GreyImage } from "../../src/images/grey-image.js";

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
export function textWidth(text: string): number {
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
