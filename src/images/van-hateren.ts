/**
 * The raw `.iml` files of van Hateren & van der Schaaf (1998): no header, rows from the top, 16
 * bits a pixel.
 */
import { expected } from "../errors.js";
import type { GreyImage } from "./grey-image.js";

/**
 * Pixels are linear in intensity, as they stand in the file: each image has a calibration factor of
 * its own.
 */
export interface VanHaterenImage extends GreyImage {
  /** The largest value of this image, for callers who scale by it. */
  readonly largest: number;
  /** The largest value that 16 bits hold, for callers who scale all images alike. */
  readonly largestPossible: number;
}

const fileWidth = 1536;
const fileHeight = 1024;
const fileBytes = 2 * fileWidth * fileHeight;

/**
 * The two outermost columns hold one constant, and the outermost rows deviate: neither belongs to
 * the scene.
 */
const border = 2;

/**
 * The size of the picture in a file of so many bytes, without its border. `name` is what an error
 * calls the file.
 */
export function vanHaterenSize(bytes: number, name: string): { width: number; height: number } {
  if (bytes !== fileBytes) {
    const rule = `have ${fileBytes} bytes (${fileWidth}×${fileHeight} pixels of 16 bits)`;
    throw expected(name, rule, bytes);
  }
  return { width: fileWidth - 2 * border, height: fileHeight - 2 * border };
}

/** Decodes a whole file and leaves its border out: 1532×1020 pixels. */
export function decodeVanHateren(bytes: Uint8Array, name = "the .iml file"): VanHaterenImage {
  const { width, height } = vanHaterenSize(bytes.length, name);
  const pixels = new Float32Array(width * height);
  let largest = 0;
  for (let row = 0; row < height; row++) {
    const start = 2 * ((row + border) * fileWidth + border);
    for (let column = 0; column < width; column++) {
      const at = start + 2 * column;
      // The most significant byte comes first.
      const value = 256 * bytes[at] + bytes[at + 1];
      pixels[row * width + column] = value;
      if (value > largest) largest = value;
    }
  }
  return { width, height, pixels, largest, largestPossible: 65535 };
}
