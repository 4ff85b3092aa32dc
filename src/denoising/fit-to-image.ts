/**
 * A density of noisy patches needs no clean ones: the noisy image to be denoised has patches enough
 * to fit it to. It starts from a density that knows images, since one image alone would have to
 * teach it everything, and goes some steps towards the least error on this one (fit-denoiser.ts
 * says how that can be known without the clean image).
 */
import { checkRunner } from "../density/batch-passes.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { expected } from "../errors.js";
import { type GreyImage, requirePixels } from "../images/grey-image.js";
import { reflectedTo } from "../images/reflection.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Seed } from "../random/random-stream.js";
import { denoiserCropSide, fitDenoiser } from "../training/fit-denoiser.js";
import { checkFields } from "../transforms/checks.js";
import { atContrastOf } from "./contrast.js";
import { checkSigma } from "./noise-level.js";

export interface ImageFitOptions {
  /** Standard deviation of the noise, in the units of the pixels. */
  readonly sigma: number;
  /** Default 150. */
  readonly steps?: number;
  /** Crops of a step, default 96. */
  readonly crops?: number;
  /** Largest learning rate of H, default 0.004: a tenth of that of a fit from the beginning. */
  readonly learningRate?: number;
  /** Of the places of the crops and of their noise, default 1. */
  readonly seed?: Seed;
  readonly signal?: AbortSignal;
  /** After each step: how many are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields = [
  "sigma",
  "steps",
  "crops",
  "learningRate",
  "seed",
  "signal",
  "onProgress",
] as const;

/** Steps where nobody asks for others. */
export const usualFitSteps = 150;
/** A step takes as long as denoising so many pixels. */
export const pixelsOfFitStep = 8000;

/** Of the time for an image of so many pixels, what a fit to it takes. */
export function shareOfFit(pixels: number, steps: number): number {
  const fit = pixelsOfFitStep * steps;
  return fit / (fit + pixels);
}

/** a of fit-denoiser.ts: the noise that is added, in units of that of the image. */
const addedNoise = 0.5;

/**
 * The model, its density fitted further to a noisy image: what {@link denoiseImage} needs where no
 * clean image is like this one. The same bits for any number of workers.
 */
export async function fitToNoisyImage(
  runner: TaskRunner,
  model: Model,
  noisy: GreyImage,
  options: ImageFitOptions,
): Promise<Model> {
  checkRunner(runner);
  checkOptions(options);
  requirePixels(noisy, "the image");
  const { sigma, steps = usualFitSteps, crops = 96, learningRate = 0.004, seed = 1 } = options;
  const { signal, onProgress } = options;
  const more = Math.sqrt(1 + addedNoise * addedNoise);
  // With what is added, its noise is that of the model.
  const { image, sigma: level } = atContrastOf(model, noisy, sigma * more);
  const large = reflectedTo(image, denoiserCropSide(requireReading(model).layout.size));
  const { model: fitted } = await fitDenoiser(runner, {
    start: model,
    images: 1,
    load: () => Promise.resolve(large),
    imageNoise: level / more,
    steps,
    crops,
    learningRate,
    seed,
    ...(signal && { signal }),
    onStep: (step) => onProgress?.(step + 1, steps),
  });
  return { transform: fitted.transform, about: model.about };
}

function checkOptions(options: ImageFitOptions): void {
  checkFields("the options", options, optionFields);
  const { sigma, crops = 1 } = options;
  checkSigma(sigma);
  if (sigma === 0) throw expected("sigma", "be above 0", sigma);
  if (!Number.isInteger(crops) || crops < 1)
    throw expected("crops", "be a positive integer", crops);
}
