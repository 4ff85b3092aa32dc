/** Denoising of a grey image by any density of noisy images, paper eq. (7). */
import type { Density } from "../density/density.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { isImageModel } from "../density/model-files/model.js";
import { checkFields, expected } from "../errors.js";
import {
  type GreyImage,
  requireCounts,
  requireFinitePixels,
  requirePixels,
} from "../images/grey-image.js";
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
  "isExpanded",
  "patchesAtOnce",
  "tileSize",
  "signal",
  "onProgress",
] as const;

/**
 * Denoises an image by a density of noisy patches or of whole noisy images. The result has the same
 * bits for any number of workers. An image smaller than a patch is extended by reflection.
 *
 *     const denoised = await denoiseImage(density, noisy, { sigma: 25 / 255 });
 *
 * @throws GaussianizeError unless the model describes square patches with their mean, or whole
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
    throw expected("the model", "describe patches with their mean", "one without");
  }
  // Convolutions would spread a NaN over the whole image.
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
  const { isExpanded = false } = options;
  if (typeof isExpanded !== "boolean") throw expected("isExpanded", "be true or false", isExpanded);
  const { patchesAtOnce = 1, tileSize = 1 } = options;
  requireCounts({ patchesAtOnce, tileSize });
}
