import type { GreyImage } from "./grey-image.js";

/** So much of an image from its middle, or all that there is. */
export function centralCrop(
  image: GreyImage,
  most: { readonly width: number; readonly height: number },
): GreyImage {
  const [width, height] = [Math.min(image.width, most.width), Math.min(image.height, most.height)];
  const left = Math.floor((image.width - width) / 2);
  const top = Math.floor((image.height - height) / 2);
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const start = (top + row) * image.width + left;
    pixels.set(image.pixels.subarray(start, start + width), row * width);
  }
  return { width, height, pixels };
}
