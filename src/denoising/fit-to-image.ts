/**
 * Adapts a density of noisy patches to the noisy image that is to be denoised. The fit starts from
 * a density of images and takes some steps towards the least error on this image, which can be
 * estimated without the clean image (fit-denoiser.ts).
 */
import { checkRunner } from "../density/batch-passes.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { expected } from "../errors.js";
import { type GreyImage, requireCounts, requirePixels } from "../images/grey-image.js";
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
  /** Crops per step, default 96. */
  readonly crops?: number;
  /** Largest learning rate of H, default 0.004, a tenth of the rate of a new fit. */
  readonly learningRate?: number;
  /** Seed of the places of the crops and of their noise, default 1. */
  readonly seed?: Seed;
  readonly signal?: AbortSignal | undefined;
  /** Reports the steps that are done, and their total. */
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

/** Default number of steps. */
export const usualFitSteps = 150;
/** Time of one step in microseconds of one core, in the unit of denoising-plan.ts. */
export const timeOfFitStep = 160_000;

/**
 * Returns the share of the time that a fit takes, for an image of `pixels` pixels, each of which
 * then takes `time` microseconds.
 */
export function shareOfFit(pixels: number, steps: number, time: number): number {
  const fit = timeOfFitStep * steps;
  return fit / (fit + time * pixels);
}

/** Added noise in units of the image's noise, a of fit-denoiser.ts. */
const addedNoise = 0.5;

/**
 * Returns the model with its density adapted to a noisy image, for {@link denoiseImage} of pictures
 * unlike the training images. The result has the same bits for any number of workers.
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
  // With the added noise, the image has the noise level of the model.
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
  requireCounts({ crops });
}
