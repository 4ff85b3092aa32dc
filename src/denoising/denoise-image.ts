/** A grey image without its noise, by any density of noisy images: paper eq. (7). */
import type { Density } from "../density/density.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { isImageModel } from "../density/model-files/model.js";
import { checkFields, expected } from "../errors.js";
import { type GreyImage, requireFinitePixels, requirePixels } from "../images/grey-image.js";
import { atContrastOf } from "./contrast.js";
import { type DenoisingOptions, estimateByPatches } from "./empirical-bayes.js";
import { checkSigma } from "./noise-level.js";
import { checkStride } from "./overlapping-patches.js";
import { estimateByShifts } from "./whole-image-denoising.js";

const optionFields = [
  "sigma",
  "stride",
  "bounded",
  "weighting",
  "patchesAtOnce",
  "tileSize",
  "signal",
  "onProgress",
] as const;

/**
 * The image without its noise, as far as a density of noisy patches, or of noisy whole images,
 * knows. The same bits for any number of workers. An image that is smaller than a patch is
 * continued by reflection.
 *
 *     const denoised = await denoiseImage(density, noisy, { sigma: 25 / 255 });
 *
 * @throws GaussianizeError where the model is not one of square patches with their mean, or of
 *   whole
 *   images
 */
export async function denoiseImage(
  density: Density,
  noisy: GreyImage,
  options: DenoisingOptions,
): Promise<GreyImage> {
  const { model } = density;
  const { layout } = requireReading(model);
  const isWhole = isImageModel(model);
  checkOptions(options, layout.size, isWhole ? "block" : "patch");
  if (layout.removeMean) {
    throw expected("the model", "be one of patches with their mean", "one without");
  }
  // Convolutions would spread a pixel that is no number over the whole image.
  (isWhole ? requireFinitePixels : requirePixels)(noisy, "the image");
  if (options.sigma === 0) return { ...noisy, pixels: noisy.pixels.slice() };
  const { image, sigma, back } = atContrastOf(model, noisy, options.sigma);
  const runner = await density.runner();
  const how = { ...options, sigma };
  const estimate = isWhole
    ? await estimateByShifts(runner, model.transform, image, how)
    : await estimateByPatches(runner, model, image, how);
  return back(estimate);
}

function checkOptions(options: DenoisingOptions, size: number, piece: string): void {
  checkFields("the options", options, optionFields);
  const { sigma, stride = 1, bounded = true, weighting = "uniform" } = options;
  checkSigma(sigma);
  checkStride(stride, size, piece);
  if (typeof bounded !== "boolean") throw expected("bounded", "be true or false", bounded);
  if (!["uniform", "error"].includes(weighting)) {
    throw expected("weighting", 'be "uniform" or "error"', weighting);
  }
  const { patchesAtOnce = 1, tileSize = 1 } = options;
  for (const [name, value] of Object.entries({ patchesAtOnce, tileSize })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
}
