/**
 * A density of noisy patches needs no clean ones: the noisy image to be denoised has patches enough to fit it to. It starts from a density that
 * knows images, since one image alone would have to teach it everything, and goes some steps towards the likelihood of this one.
 */
import { gaussianize } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { checkRunner } from "../density/batch-passes.js";
import { expected } from "../errors.js";
import { type GreyImage, requirePixels } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { randomPatches } from "../patches/random-patches.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { fitTransform } from "../training/fit-transform.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { zcaWhitening } from "../transforms/whitening.js";
import { atContrastOf } from "./empirical-bayes.js";
import { checkSigma } from "./noise-level.js";

export interface ImageFitOptions {
  /** Standard deviation of the noise, in the units of the pixels. */
  readonly sigma: number;
  /** Default 300. */
  readonly steps?: number;
  /** Patches of a step, default 512. */
  readonly batch?: number;
  /** Largest learning rate of H, default 0.004: a tenth of that of a fit from the beginning. */
  readonly learningRate?: number;
  /** Of the places of the patches, default 1. */
  readonly seed?: Seed;
  readonly signal?: AbortSignal;
  /** After each step: how many are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields: readonly (keyof ImageFitOptions)[] = [
  "sigma",
  "steps",
  "batch",
  "learningRate",
  "seed",
  "signal",
  "onProgress",
];

/** Of the covariance, for each of its rows. */
const samplesPerDimension = 64;

/**
 * The model, its density fitted further to patches of a noisy image: what {@link denoiseImage} needs where no clean image is
 * like this one. The same bits for any number of workers.
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
  const { sigma, steps = 300, batch = 512, learningRate = 0.004, seed = 1 } = options;
  const { signal, onProgress } = options;
  const { layout } = requireReading(model);
  if (layout.removeMean)
    throw expected("the model", "be one of patches with their mean", "one without");
  const { image } = atContrastOf(model, noisy, sigma);
  const fixed = model.about.preprocessing?.stages ?? 0;
  const stages = stagesOf(model.transform);
  const before = stages.slice(0, fixed);
  const n = model.transform.dimension;
  const samples = async (count: number, part: number | string): Promise<FloatArray> => {
    const random = createRandom(seed, "own patches", part);
    const patches = randomPatches(random, [image], layout.size, count);
    return before.length === 0 ? patches : (await gaussianize(runner, cascade(before), patches)).y;
  };
  const whitening = zcaWhitening(await samples(samplesPerDimension * n, "whitening"), n);
  const { transform } = await fitTransform(runner, cascade(stages.slice(fixed)), {
    steps,
    learningRate,
    whitening,
    batchAt: (step) => samples(batch, step),
    ...(signal && { signal }),
    onStep: (step) => onProgress?.(step + 1, steps),
  });
  return { transform: cascade([...before, transform]), about: model.about };
}

function checkOptions(options: ImageFitOptions): void {
  checkFields("the options", options, optionFields);
  const { sigma, batch = 1 } = options;
  checkSigma(sigma);
  if (sigma === 0) throw expected("sigma", "be above 0", sigma);
  if (!Number.isInteger(batch) || batch < 1)
    throw expected("batch", "be a positive integer", batch);
}
