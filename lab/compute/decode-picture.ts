/** Pictures that somebody dropped: anything may be in them. */
import type { Luminance } from "../../src/index.js";
import { type DecodedImage, decodeImage } from "../../browser/index.js";

/** Double those of a usual telephone: as floats, and many times while it is worked on, a picture of more fills the memory. Chosen, not measured. */
export const mostPixels = 24e6;

/** @throws GaussianizeError where it is none, or too large */
export function decodePicture(file: File, luminance: Luminance = "linear"): Promise<DecodedImage> {
  return decodeImage(file, luminance, { mostPixels });
}
