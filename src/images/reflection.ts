/**
 * Images extended beyond their edges by reflection. Each edge is a mirror between two pixels:
 * … c b a | a b c … z | z y …, repeated as often as needed.
 */
import type { Float64Pixels, GreyImage, GreyPixels } from "./grey-image.js";

/** Pixels to add beyond each edge, default 0. */
export interface Margins {
  readonly left?: number;
  readonly top?: number;
  readonly right?: number;
  readonly bottom?: number;
}

export function extendByReflection(
  { width, height, pixels }: GreyPixels,
  { left = 0, top = 0, right = 0, bottom = 0 }: Margins,
): Float64Pixels {
  const [columns, rows] = [reflected(width, left, right), reflected(height, top, bottom)];
  const extended = new Float64Array(columns.length * rows.length);
  let at = 0;
  for (const row of rows) {
    for (let x = 0; x < columns.length; x++) extended[at++] = pixels[row * width + columns[x]];
  }
  return { width: columns.length, height: rows.length, pixels: extended };
}

/** Extends an image to the right and downwards until it has at least side×side pixels. */
export function reflectedTo(image: GreyImage, side: number): GreyImage {
  const { width, height } = image;
  if (width >= side && height >= side) return image;
  const margins = { right: Math.max(0, side - width), bottom: Math.max(0, side - height) };
  const extended = extendByReflection(image, margins);
  return { ...extended, pixels: Float32Array.from(extended.pixels) };
}

/** Returns which of `length` pixels is visible at each place of the extended line. */
function reflected(length: number, before: number, after: number): Uint32Array {
  const period = 2 * length;
  return Uint32Array.from({ length: before + length + after }, (_, k) => {
    const place = (((k - before) % period) + period) % period;
    return place < length ? place : period - 1 - place;
  });
}
