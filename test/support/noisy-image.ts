import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "./seed.js";

export interface NoisyImage {
  readonly clean: GreyImage;
  readonly noisy: GreyImage;
}

/** An image given as a function of column and row, clean and with white noise of level `sigma`. */
export function noisyImage(
  { width, height }: { readonly width: number; readonly height: number },
  sigma: number,
  valueAt: (x: number, y: number) => number,
): NoisyImage {
  const length = width * height;
  const pixels = Float32Array.from({ length }, (_, k) => valueAt(k % width, Math.floor(k / width)));
  const noise = createRandom(seed, "noisy image", width).normalFill(new Float32Array(length));
  const clean = { width, height, pixels };
  return { clean, noisy: { ...clean, pixels: pixels.map((value, k) => value + sigma * noise[k]) } };
}

/** Diagonal stripes with sharp edges, so many pixels wide along a row. */
export function stripes(width: number): (x: number, y: number) => number {
  return (x, y) => ((x + y) % (2 * width) < width ? 0.3 : 0.7);
}
