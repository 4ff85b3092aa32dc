/**
 * A density of noisy patches, fitted further for the quality of the pictures that are denoised with
 * it.
 *
 * Clean images are not even needed. An image y with noise of standard deviation s is made noisier
 * and less noisy at once (Pang et al. 2021, "Recorrupted-to-Recorrupted"), with n white, of the
 * same standard deviation:
 *
 *   z = y + a n,   x = y − n / a
 *
 * The noise of x is as strong as you like, but independent of that of z, whose standard deviation
 * is s √(1 + a²): the expected error of x̂(z) against x differs from that against the clean image
 * by a constant.
 */
import { expected } from "../errors.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { TaskRunner } from "../parallel/job.js";
import type { LoadImage } from "../patches/image-window.js";
import { PatchSupply } from "../patches/patch-supply.js";
import { type RandomStream, type Seed, createRandom } from "../random/random-stream.js";
import type { Affine } from "../transforms/affine.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import type { Transform } from "../transforms/transform.js";
import { zcaWhitening } from "../transforms/whitening.js";
import { cropPatches, cropSide, cropStride } from "./crop-places.js";
import { denoisingObjective } from "./denoising-objective.js";
import { type Fit, type FitCheckpoint, fitTransform } from "./fit-transform.js";

export interface DenoiserFitOptions {
  /**
   * Where the fit starts: a density of standardized noisy patches, which says how noisy (`fit
   * --noise-level`).
   */
  readonly start: Model;
  /**
   * Number of images, and how to get one (as a PatchSupply wants it); clean ones unless
   * `imageNoise` says how noisy they are.
   */
  readonly images: number;
  readonly load: LoadImage;
  /**
   * Standard deviation of the noise that the images have already, below that of the start; default
   * 0.
   */
  readonly imageNoise?: number;
  readonly steps?: number;
  /** Crops of a step, default 96: of four by four patches that overlap by half. */
  readonly crops?: number;
  /** Default 0.01. */
  readonly learningRate?: number;
  readonly seed?: Seed;
  /** Images in memory at once, default all. */
  readonly window?: number;
  readonly signal?: AbortSignal;
  /** Mean squared error of the pixels of the crops of a step. */
  readonly onStep?: (step: number, meanSquaredError: number) => void;
  readonly checkpointEvery?: number;
  readonly onCheckpoint?: (checkpoint: FitCheckpoint) => void | Promise<void>;
  /** Where an interrupted fit with the same options stood. */
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

/** Patches of a crop, along one side. */
const patchesAcross = 4;
/** For the whitening, of each dimension. */
const samplesPerDimension = 32;

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
    ...(signal && { signal }),
    ...(checkpointEvery === undefined ? {} : { checkpointEvery }),
    ...(onCheckpoint && { onCheckpoint }),
    onStep: (step, value) => onStep?.(step, -value / (scale * scale)),
  });
  return { model: modelOf(start, first, fit, { crops, learningRate }), fit };
}

/** Of the crops that patches of this side are fitted in. */
export function denoiserCropSide(size: number): number {
  return cropSide(size, patchesAcross);
}

type PairOf = (crops: Float32Array, random: RandomStream) => Float32Array;

/**
 * What is to be estimated, and after it what from: of crops with noise `own`, the second with noise
 * `sigma`.
 */
function pairsFor(sigma: number, own: number): PairOf {
  if (!(own >= 0 && own < sigma)) {
    throw expected("imageNoise", "be at least 0, and below the noise level of the start", own);
  }
  // z = y + added · n, x = y − taken · n: sigma and 0 for clean crops, where own n / a would be 0 /
  // 0.
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
    throw expected("the start", "be a density of noisy patches that says how noisy", "none");
  }
  if (layout.removeMean) throw expected("the start", "be one of patches with their mean", "none");
  const [first, ...others] = stagesOf(start.transform);
  if (first.kind !== "affine" || others.length === 0) {
    throw expected("the start", "begin with an affine stage, standardized pixels", first.kind);
  }
  const rest = others.length === 1 ? others[0] : cascade(others);
  return { first, rest, noiseLevel, size: layout.size };
}

/** Of the first steps, enough for a covariance. */
async function noisyPatches(
  batchAt: (step: number) => Promise<Float32Array>,
  places: { readonly patch: number; readonly crop: number; readonly stride: number },
): Promise<Float32Array> {
  const n = places.patch * places.patch;
  const parts: Float32Array[] = [];
  for (let step = 0, count = 0; count < samplesPerDimension * n; step++) {
    const batch = await batchAt(step);
    const patches = cropPatches(batch.subarray(batch.length / 2), places);
    parts.push(patches);
    count += patches.length / n;
  }
  const all = new Float32Array(parts.length * parts[0].length);
  parts.forEach((part, k) => {
    all.set(part, k * part.length);
  });
  return all;
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
      // Those of the start are no longer true.
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
