/** Pixels for the screen; jobs make them, so that the page need not. */

/** Red, green, blue, alpha of every pixel, as canvases have them. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
}

/** Grey values from black to white. */
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
