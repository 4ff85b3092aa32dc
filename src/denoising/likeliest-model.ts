/**
 * Which of some densities of noisy patches knows an image best: the one under which patches of it are most likely. Images have more contrast
 * or less, and differences of colour have little, so that the density whose own noise level is nearest need not be the one:
 *
 *   log p(x̃) = log p_m(c x̃ + b) + N log c,   c = s_m / σ
 *
 *   symbol   meaning
 *   x̃        a patch with noise of standard deviation σ
 *   p_m, s_m density of patches with noise of standard deviation s_m
 *   c, b     contrast and shift that give the image the noise of the model (contrast.ts)
 *   N        pixels of a patch; models may have patches of different sizes, and are compared per pixel
 *
 * Cost: 2048 densities for each model.
 */
import { checkRunner } from "../density/batch-passes.js";
import { logProb } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { expected } from "../errors.js";
import { type GreyImage, requirePixels } from "../images/grey-image.js";
import { portableLog } from "../numbers/logarithm.js";
import type { TaskRunner } from "../parallel/job.js";
import { patchesToSamples } from "../patches/patch-layout.js";
import { randomPatches } from "../patches/random-patches.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { atContrastOf } from "./contrast.js";
import { checkSigma } from "./noise-level.js";

const patches = 2048;

/** The index of the model; the same for any number of workers. `seed` is that of the places of the patches. */
export async function likeliestModel(
  runner: TaskRunner,
  models: readonly Model[],
  noisy: GreyImage,
  sigma: number,
  seed: Seed = 1,
): Promise<number> {
  checkRunner(runner);
  if (models.length === 0) throw expected("models", "hold at least one model", 0);
  checkSigma(sigma);
  if (sigma === 0) throw expected("sigma", "be above 0", sigma);
  requirePixels(noisy, "the image");
  let best = { index: 0, likelihood: -Infinity };
  for (const [index, model] of models.entries()) {
    const likelihood = await likelihoodPerPixel(runner, model, noisy, sigma, seed);
    if (likelihood > best.likelihood) best = { index, likelihood };
  }
  return best.index;
}

async function likelihoodPerPixel(
  runner: TaskRunner,
  model: Model,
  noisy: GreyImage,
  sigma: number,
  seed: Seed,
): Promise<number> {
  const { layout } = requireReading(model);
  const { image, sigma: noise } = atContrastOf(model, noisy, sigma);
  const random = createRandom(seed, "likeliest model", layout.size);
  const x = patchesToSamples(randomPatches(random, [image], layout.size, patches), layout);
  const values = await logProb(runner, model.transform, x);
  const mean = values.reduce((sum, value) => sum + value, 0) / patches;
  // A model without a density at some patch is none for this image.
  return Number.isFinite(mean)
    ? mean / model.transform.dimension + portableLog(noise / sigma)
    : -Infinity;
}
