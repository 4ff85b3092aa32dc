import { expected } from "../errors.js";
import type { GreyPixels } from "../images/grey-image.js";
import { portableLog10 } from "../numbers/extended-logarithm.js";
import { square } from "../numbers/square.js";

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
  for (let k = 0; k < pixels.length; k++) squares += square(image.pixels[k] - pixels[k]);
  return 10 * portableLog10(pixels.length / squares);
}

export function requireSameSize(image: GreyPixels, { width, height }: GreyPixels): void {
  if (image.width === width && image.height === height) return;
  throw expected("the image", `have ${width}×${height} pixels`, `${image.width}×${image.height}`);
}
