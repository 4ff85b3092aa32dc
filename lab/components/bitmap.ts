/** Pixels for the screen. Jobs make them in the worker, so the page stays free. */

/** Red, green, blue and alpha of every pixel, as in a canvas. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
}

/** Draws grey values: `black` and those below as 0, `white` and those above as 255. */
export function greyBitmap(
  { width, height, pixels }: { width: number; height: number; pixels: ArrayLike<number> },
  [black, white]: readonly [black: number, white: number] = [0, 1],
): Bitmap {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let k = 0; k < width * height; k++) {
    const grey = (255 * (pixels[k] - black)) / (white - black);
    rgba.fill(grey, 4 * k, 4 * k + 3);
    rgba[4 * k + 3] = 255;
  }
  return { width, height, rgba };
}
