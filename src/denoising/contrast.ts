/**
 * Changes of contrast that give the noise of a picture the level which a density was fitted to. A
 * density of patches with noise of level s serves for any σ near s: the contrast is multiplied by
 * s / σ, which hardly changes how likely pictures are, and divided again afterwards.
 */
import type { AnyModel } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { type GreyImage, cropOf } from "../images/grey-image.js";
import { reflectedTo } from "../images/reflection.js";
import { meanOf } from "../numbers/means.js";

/** An image with the noise level of a density and at least the size of its patches. */
export interface ChangedContrast {
  readonly image: GreyImage;
  /** Standard deviation of its noise. */
  readonly sigma: number;
  /** Changes another image of the same scene in the same way. */
  readonly like: (other: GreyImage) => GreyImage;
  /** Restores the size and the contrast of the original. */
  readonly back: (estimate: GreyImage) => GreyImage;
}

/** A model that does not tell its noise level is taken to be fitted to `sigma`. */
export function atContrastOf(model: AnyModel, noisy: GreyImage, sigma: number): ChangedContrast {
  const { layout, noiseLevel = sigma } = requireReading(model);
  return atNoiseLevel(noisy, sigma, { noiseLevel, size: layout.size });
}

export function atNoiseLevel(
  noisy: GreyImage,
  sigma: number,
  { noiseLevel, size }: { readonly noiseLevel: number; readonly size: number },
): ChangedContrast {
  const contrast = noiseLevel / sigma;
  const centre = meanOf(noisy.pixels);
  const like = (other: GreyImage): GreyImage =>
    withContrast(reflectedTo(other, size), centre, contrast);
  return {
    image: like(noisy),
    sigma: noiseLevel,
    like,
    back: (estimate) => withContrast(cropOf(estimate, 0, 0, noisy), centre, 1 / contrast),
  };
}

function withContrast(image: GreyImage, centre: number, factor: number): GreyImage {
  if (factor === 1) return image;
  return { ...image, pixels: image.pixels.map((value) => centre + factor * (value - centre)) };
}
