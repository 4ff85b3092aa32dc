/** In which unit the noise of a picture counts. */
import { greyLevels } from "../../src/index.js";
import type { Picture } from "../../node/index.js";
import { pictureRange } from "../../node/pictures/picture-range.js";

/**
 * From black to white. Of pictures that plainly count in something else (photons, or 12 bits of a camera in a file of 16) it is the
 * range of their values, so that noise levels and densities of patches mean the same for them.
 */
export function unitOf(picture: Picture): number {
  if (picture.bitDepth === 8) return 1;
  const { lowest, highest } = pictureRange(picture);
  const range = highest - lowest;
  const isGrey = lowest >= -1 && highest <= 2 && range >= 0.1;
  return isGrey || range === 0 ? 1 : range;
}

/** A noise level in grey levels, in the codes of the file, or in its values where they are floating point. */
export function sigmaInFile(sigma: number, unit: number, { bitDepth }: Picture): number {
  const largestCode = bitDepth === "float" ? 1 : 2 ** bitDepth - 1;
  return (sigma * unit * largestCode) / greyLevels;
}
