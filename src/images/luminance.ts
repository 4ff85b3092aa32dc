/** One value a pixel from the three of an sRGB picture; all values from 0 to 1. */
import { expected } from "../errors.js";
import { portablePow } from "../numbers/power.js";

/** How a pixel becomes one number. */
export type Luminance =
  /** Rec. 601 luma of the encoded values, what "grey" means in BSDS protocols. */
  | "grey"
  /** Luminance in linear light, Rec. 709 weights after removal of the sRGB curve: what the paper uses (§6.3). */
  | "linear";

export function requireLuminance(kind: Luminance): void {
  if (["grey", "linear"].includes(kind)) return;
  throw expected("luminance", 'be "grey" or "linear"', kind);
}

export function luminanceOf(kind: Luminance, red: number, green: number, blue: number): number {
  return kind === "grey"
    ? 0.299 * red + 0.587 * green + 0.114 * blue
    : 0.2126 * srgbToLinear(red) + 0.7152 * srgbToLinear(green) + 0.0722 * srgbToLinear(blue);
}

/** IEC 61966-2-1 */
export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : portablePow((value + 0.055) / 1.055, 2.4);
}

export function linearToSrgb(value: number): number {
  return value <= 0.0031308 ? 12.92 * value : 1.055 * portablePow(value, 1 / 2.4) - 0.055;
}
