/**
 * Fits a density of noisy patches further, to minimise the error of images denoised with it.
 *
 * Clean images are not needed. An image y with noise of standard deviation s gives a noisier image
 * z and a target x (Pang et al. 2021, "Recorrupted-to-Recorrupted"), with white noise n of the same
 * standard deviation:
 *
 *   z = y + a n,   x = y − n / a
 *
 * The noise of z has standard deviation s √(1 + a²) and is independent of the noise of x. So the
 * expected error of x̂(z) against x differs from the error against the clean image by a constant.
 */
import { expected } from "../errors.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { concatenated } from "../kernels/concatenated.js";
import type { TaskRunner } from "../parallel/job.js";
import type { LoadImage } from "../patches/image-window.js";
import { PatchSupply } from "../patches/patch-supply.js";
import { type RandomStream, type Seed, createRandom } from "../random/random-stream.js";
import type { Affine } from "../transforms/affine.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import type { Transform } from "../transforms/transform.js";
import { zcaWhitening } from "../transforms/whitening.js";
import { type CropLayout, CropPlaces, cropSide, cropStride } from "./crop-places.js";
import { denoisingObjective } from "./denoising-objective.js";
import { type Fit, type FitCheckpoint, fitTransform } from "./fit-transform.js";

export interface DenoiserFitOptions {
  /** Start of the fit: a density of standardized noisy patches (`fit --noise-level`). */
  readonly start: Model;
  /** Number of images, which are clean unless `imageNoise` is given. */
  readonly images: number;
  readonly load: LoadImage;
  /** Noise level σ of the images, below the noise level of the start; default 0. */
  readonly imageNoise?: number;
  /** Default 2000. */
  readonly steps?: number;
  /** Crops per step, of 4×4 patches that overlap by half; default 96. */
  readonly crops?: number;
  /** Default 0.01. */
  readonly learningRate?: number;
  /** Default 1. */
  readonly seed?: Seed;
  /** Images in memory at once; default all. */
  readonly window?: number;
  readonly signal?: AbortSignal;
  /** Receives the mean squared error of the pixels in the crops of a step. */
  readonly onStep?: (step: number, meanSquaredError: number) => void;
  readonly checkpointEvery?: number;
  readonly onCheckpoint?: (checkpoint: FitCheckpoint) => void | Promise<void>;
  /** Checkpoint of an interrupted fit with the same options. */
  readonly resume?: FitCheckpoint;
}

export interface DenoiserFit {
  readonly model: Model;
  readonly fit: Fit;
}

const optionFields = [
  "start",
  "images",
  "load",
  "imageNoise",
  "steps",
  "crops",
  "learningRate",
  "seed",
  "window",
  "signal",
  "onStep",
  "checkpointEvery",
  "onCheckpoint",
  "resume",
] as const;

/** Patches along one side of a crop. */
const patchesAcross = 4;
/** Samples per dimension for the whitening. */
const samplesPerDimension = 32;

/** Fits a density of noisy patches for the quality of denoised images. */
export async function fitDenoiser(
  runner: TaskRunner,
  options: DenoiserFitOptions,
): Promise<DenoiserFit> {
  checkFields("the options", options, optionFields);
  const { start, steps = 2000, crops = 96, learningRate = 0.01, seed = 1 } = options;
  const { first, rest, noiseLevel, size } = partsOf(start);
  const [scale, shift] = [first.scale[0], first.shift[0]];
  const stride = cropStride(size);
  const crop = denoiserCropSide(size);
  const places = { patch: size, crop, stride };
  const sigma = scale * noiseLevel;
  const supply = new PatchSupply({
    images: options.images,
    load: options.load,
    layout: { size: crop, removeMean: false },
    batch: crops,
    seed,
    ...(options.window === undefined ? {} : { window: options.window }),
  });
  const pairOf = pairsFor(sigma, scale * (options.imageNoise ?? 0));
  const batchAt = async (step: number): Promise<Float32Array> => {
    const crops = (await supply.batchAt(step)).map((value) => scale * value + shift);
    return pairOf(crops, createRandom(seed, "crop noise", step));
  };
  const { signal, onStep, checkpointEvery, onCheckpoint } = options;
  const fit = await fitTransform(runner, (options.resume ?? rest) as Transform, {
    steps,
    learningRate,
    batchAt,
    objective: denoisingObjective({ ...places, sigma }),
    whitening: zcaWhitening(await noisyPatches(batchAt, places), size * size),
    signal,
    checkpointEvery,
    onCheckpoint,
    onStep: (step, value) => onStep?.(step, -value / (scale * scale)),
  });
  return { model: modelOf(start, first, fit, { crops, learningRate }), fit };
}

/** Returns the side of the crops for patches of this side, in pixels. */
export function denoiserCropSide(size: number): number {
  return cropSide(size, patchesAcross);
}

/** Turns crops with noise `own` into targets x, followed by inputs z with noise `sigma`. */
function pairsFor(
  sigma: number,
  own: number,
): (crops: Float32Array, random: RandomStream) => Float32Array {
  if (!(own >= 0 && own < sigma)) {
    throw expected("imageNoise", "be at least 0, and below the noise level of the start", own);
  }
  // z = y + added · n, x = y − taken · n. Clean crops have added = sigma and taken = 0, where the
  // formula with a would divide 0 by 0.
  const added = Math.sqrt(sigma * sigma - own * own);
  const taken = (own * own) / added;
  return (crops, random) => {
    const noise = random.normalFill(new Float32Array(crops.length));
    const both = new Float32Array(2 * crops.length);
    for (let k = 0; k < crops.length; k++) {
      both[k] = crops[k] - taken * noise[k];
      both[crops.length + k] = crops[k] + added * noise[k];
    }
    return both;
  };
}

function partsOf(start: Model) {
  const { layout, noiseLevel } = requireReading(start, "the start");
  if (noiseLevel === undefined) {
    throw expected("the start", "be a density of noisy patches with a noise level", "none");
  }
  if (layout.removeMean) throw expected("the start", "be a density of patches with mean", "none");
  const [first, ...others] = stagesOf(start.transform);
  if (first.kind !== "affine" || others.length === 0) {
    throw expected("the start", "begin with an affine stage (standardized pixels)", first.kind);
  }
  const rest = others.length === 1 ? others[0] : cascade(others);
  return { first, rest, noiseLevel, size: layout.size };
}

/** Returns enough patches of the first steps for a covariance. */
async function noisyPatches(
  batchAt: (step: number) => Promise<Float32Array>,
  layout: CropLayout,
): Promise<Float32Array> {
  const n = layout.patch * layout.patch;
  const places = new CropPlaces(layout);
  const parts: Float32Array[] = [];
  for (let step = 0, count = 0; count < samplesPerDimension * n; step++) {
    const batch = await batchAt(step);
    const patches = places.patchesOf(batch.subarray(batch.length / 2));
    parts.push(patches);
    count += patches.length / n;
  }
  return concatenated(Float32Array, parts);
}

function modelOf(
  start: Model,
  first: Affine,
  { transform, steps, history, rejectedSteps }: Fit,
  settings: { readonly crops: number; readonly learningRate: number },
): Model {
  const { training = {}, ...about } = start.about;
  return {
    transform: cascade([first, ...stagesOf(transform)]),
    about: {
      ...about,
      // The figures of the start no longer apply.
      figures: {},
      training: {
        ...training,
        denoising: {
          ...settings,
          steps,
          rejectedSteps,
          history: history.map(({ step, meanLogProb }) => ({ step, value: meanLogProb })),
        },
      },
    },
  };
}
