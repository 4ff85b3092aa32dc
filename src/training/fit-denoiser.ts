/** A density of noisy patches, fitted further for the quality of the pictures that are denoised with it. */
import { expected } from "../errors.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { TaskRunner } from "../parallel/job.js";
import type { LoadImage } from "../patches/image-window.js";
import { PatchSupply } from "../patches/patch-supply.js";
import { withWhiteNoise } from "../preprocessing/white-noise.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { Affine } from "../transforms/affine.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import type { Transform } from "../transforms/transform.js";
import { zcaWhitening } from "../transforms/whitening.js";
import { cropPatches, denoisingObjective } from "./denoising-objective.js";
import { type Fit, type FitCheckpoint, fitTransform } from "./fit-transform.js";

export interface DenoiserFitOptions {
  /** Where the fit starts: a density of standardized noisy patches, which says how noisy (`fit --noise-level`). */
  readonly start: Model;
  /** Number of CLEAN images, and how to get one (as a PatchSupply wants it). */
  readonly images: number;
  readonly load: LoadImage;
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

const optionFields: readonly (keyof DenoiserFitOptions)[] = [
  "start",
  "images",
  "load",
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
];

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
  const stride = Math.max(1, Math.floor(size / 2));
  const crop = size + (patchesAcross - 1) * stride;
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
  const batchAt = async (step: number): Promise<Float32Array> => {
    const clean = (await supply.batchAt(step)).map((value) => scale * value + shift);
    const noisy = withWhiteNoise(clean, sigma, createRandom(seed, "crop noise", step));
    const both = new Float32Array(2 * clean.length);
    both.set(clean);
    both.set(noisy, clean.length);
    return both;
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
    onStep: (step, value) => onStep?.(step, -value / scale ** 2),
  });
  return { model: modelOf(start, first, fit, { crops, learningRate }), fit };
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
  const n = places.patch ** 2;
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
