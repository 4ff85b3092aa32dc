/**
 * A density that was fitted to patches with noise of standard deviation s serves for any σ near it:
 * pictures of half the contrast are as likely, up to a factor, so that the contrast of the picture
 * is changed by s / σ, and back afterwards.
 */
import type { AnyModel } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { type GreyImage, meanGrey } from "../images/grey-image.js";
import { reflectedTo } from "../images/reflection.js";

/**
 * An image as a density knows images: large enough for a patch, its noise that of the patches which
 * the density was fitted to.
 */
export interface ChangedContrast {
  readonly image: GreyImage;
  /** Standard deviation of its noise. */
  readonly sigma: number;
  /** Another image of the same scene, changed in the same way. */
  readonly like: (other: GreyImage) => GreyImage;
  /** What is computed from `image`, at the size and the contrast of the original. */
  readonly back: (estimate: GreyImage) => GreyImage;
}

/**
 * For a model, which may tell with how much noise it was fitted; if it does not, it was with this
 * much.
 */
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
  const centre = meanGrey(noisy);
  const like = (other: GreyImage): GreyImage =>
    withContrast(reflectedTo(other, size), centre, contrast);
  return {
    image: like(noisy),
    sigma: noiseLevel,
    like,
    back: (estimate) => withContrast(upperLeft(estimate, noisy), centre, 1 / contrast),
  };
}

function withContrast(image: GreyImage, centre: number, factor: number): GreyImage {
  if (factor === 1) return image;
  return { ...image, pixels: image.pixels.map((value) => centre + factor * (value - centre)) };
}

function upperLeft(
  image: GreyImage,
  { width, height }: Pick<GreyImage, "width" | "height">,
): GreyImage {
  if (image.width === width && image.height === height) return image;
  const pixels = Float32Array.from(
    { length: width * height },
    (_, k) => image.pixels[Math.floor(k / width) * image.width + (k % width)],
  );
  return { width, height, pixels };
}
