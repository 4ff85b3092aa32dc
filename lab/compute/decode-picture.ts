/** Pictures that somebody dropped, as grey values: anything may be in them. */
import { decodeImage } from "../../browser/decode-image.js";
import { GaussianizeError } from "../../src/errors.js";
import type { DecodedImage } from "../../src/images/decoded-image.js";
import type { Luminance } from "../../src/images/luminance.js";
import type { NamedFile } from "../named-file.js";
import { LastOnes } from "./last-ones.js";

/**
 * Double those of a usual telephone: as floats, and many times while it is worked on, a picture of
 * more fills the memory. Chosen, not measured.
 */
export const mostPixels = 24e6;

/** One only: two large pictures at a time may be too much. */
const decoded = new LastOnes<DecodedImage>(1);

/** @throws GaussianizeError where it is none, or too large */
export function decodePicture(
  { key, file }: NamedFile,
  luminance: Luminance = "linear",
): Promise<DecodedImage> {
  return decoded.get(`${key} ${luminance}`, () => decodeImage(file, luminance, { mostPixels }));
}

/** @throws GaussianizeError where a value is beyond black and white, too */
export async function decodeInRange(
  picture: NamedFile,
  luminance: Luminance,
): Promise<DecodedImage> {
  const image = await decodePicture(picture, luminance);
  if (image.pixels.every((value) => value >= 0 && value <= 1)) return image;
  throw new GaussianizeError(
    "unsupported-file",
    `${picture.file.name} has values beyond black and white.`,
  );
}
