import { expected } from "../errors.js";
import type { GreyPixels } from "../images/grey-image.js";

/**
 * Peak signal-to-noise ratio of pixels from 0 to 1, in decibels:
 *
 *   PSNR = 10 log₁₀ (1 / mean (a − b)²)
 *
 * Infinity where the images are equal.
 */
export function psnrInDecibels(image: GreyPixels, reference: GreyPixels): number {
  requireSameSize(image, reference);
  const { pixels } = reference;
  let squares = 0;
  for (let k = 0; k < pixels.length; k++) squares += (image.pixels[k] - pixels[k]) ** 2;
  return 10 * Math.log10(pixels.length / squares);
}

export function requireSameSize(image: GreyPixels, { width, height }: GreyPixels): void {
  if (image.width === width && image.height === height) return;
  throw expected("the image", `have ${width}×${height} pixels`, `${image.width}×${image.height}`);
}
