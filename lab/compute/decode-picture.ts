/** Grey values of dropped pictures. Their contents are not trusted. */
import { decodeImage } from "../../browser/decode-image.js";
import { GaussianizeError } from "../../src/errors.js";
import type { DecodedImage } from "../../src/images/decoded-image.js";
import type { Luminance } from "../../src/images/luminance.js";
import type { NamedFile } from "../named-file.js";
import { LastOnes } from "./last-ones.js";

/**
 * Largest picture in pixels, twice that of a usual phone. Jobs hold several copies as floats, so
 * larger pictures may fill the memory. Chosen, not measured.
 */
export const mostPixels = 24e6;

/** Keeps one picture only: two large ones may not fit into memory. */
const decoded = new LastOnes<DecodedImage>(1);

/** @throws GaussianizeError if the file is not a picture, or too large */
export function decodePicture(
  { key, file }: NamedFile,
  luminance: Luminance = "linear",
): Promise<DecodedImage> {
  return decoded.get(`${key} ${luminance}`, () => decodeImage(file, luminance, { mostPixels }));
}

/** @throws GaussianizeError also if a value is below black or above white */
export async function decodeInRange(
  picture: NamedFile,
  luminance: Luminance,
): Promise<DecodedImage> {
  const image = await decodePicture(picture, luminance);
  if (image.pixels.every((value) => value >= 0 && value <= 1)) return image;
  throw new GaussianizeError(
    "unsupported-file",
    `${picture.file.name} has values below black or above white.`,
  );
}
