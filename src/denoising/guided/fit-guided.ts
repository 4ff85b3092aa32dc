/**
 * Guided densities (guided-density.ts), fitted for the error of the pictures that are denoised with
 * them. Images get noise, and a first estimate by a prior; crops of them are denoised, and the
 * parameters of all classes follow the gradient of the mean squared error.
 */
import { checkRunner } from "../../density/batch-passes.js";
import type { Model } from "../../density/model-files/model.js";
import { requireReading } from "../../density/model-files/model-reading.js";
import { GaussianizeError, expected } from "../../errors.js";
import { square } from "../../numbers/square.js";
import { abortError } from "../../parallel/abort-error.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { LoadImage } from "../../patches/image-window.js";
import { type Seed, createRandom } from "../../random/random-stream.js";
import { CropPlaces, cropSide, cropStride } from "../../training/crop-places.js";
import {
  type OptimiserState,
  schedule,
  startOptimiser,
  stepOptimiser,
} from "../../training/optimisers.js";
import { checkFields } from "../../transforms/checks.js";
import {
  type GuidedDensities,
  type GuidedExpert,
  checkGuided,
  expertFields,
  expertOf,
  limits,
} from "./guided-density.js";
import { type ClassShares, boundsOfShares, checkShares, classCount } from "./patch-classes.js";
import { guidedEstimates, guidedGradients } from "./run-guided.js";
import { startExperts } from "./start-experts.js";
import { cropBatch, sceneOf, standardization, tripleImages } from "./training-scenes.js";

export interface GuidedFitOptions {
  /** Makes the first estimates. */
  readonly prior: Model;
  /** Standard deviation of the noise, pixels being from 0 to 1; default that of the prior. */
  readonly noiseLevel?: number;
  /**
   * Number of clean images, and how to get one; at most 256 of them, drawn by the seed, are used
   * and kept in memory.
   */
  readonly images: number;
  readonly load: LoadImage;
  /** Default 3000. */
  readonly steps?: number;
  /** Crops of a step, default 64. */
  readonly crops?: number;
  /** Largest learning rate, default 0.004. */
  readonly learningRate?: number;
  /** Which kinds of patches there are. */
  readonly classes?: ClassShares;
  readonly seed?: Seed;
  readonly signal?: AbortSignal;
  /** After each first estimate: images that are done, and all of them. */
  readonly onEstimate?: (done: number, total: number) => void;
  /** Mean squared error of the pixels of the crops of a step. */
  readonly onStep?: (step: number, meanSquaredError: number) => void;
}

const optionFields = [
  "prior",
  "noiseLevel",
  "images",
  "load",
  "steps",
  "crops",
  "learningRate",
  "classes",
  "seed",
  "signal",
  "onEstimate",
  "onStep",
] as const;

/** Of a crop, along one side. */
const patchesAcross = 6;
/**
 * Two patches of five have next to no edges; of the others, the few with strong ones matter most.
 */
const defaultClasses: ClassShares = { strengths: [0.4, 0.62, 0.78, 0.88, 0.95], coherences: 3 };
const defaults = {
  steps: 3000,
  crops: 64,
  learningRate: 0.004,
  classes: defaultClasses,
  seed: 1 as Seed,
};

/** The same bits for any number of workers. */
export async function fitGuided(
  runner: TaskRunner,
  options: GuidedFitOptions,
): Promise<GuidedDensities> {
  checkRunner(runner);
  checkFields("the options", options, optionFields);
  const asked = { ...defaults, ...options };
  checkNumbers(asked);
  const { steps, crops, learningRate, seed, signal, onStep } = asked;
  const { places, start } = await prepare(runner, asked);
  const { size, noiseLevel, scale } = start.guided;
  const variance = square(scale * noiseLevel);
  let { experts } = start.guided;
  let optimiser = startOptimiser("adam", experts.flatMap(arraysOf));
  for (let step = 0; step < steps; step++) {
    if (signal?.aborted) throw abortError(signal);
    const batch = cropBatch(createRandom(seed, "guided crops", step), start.scenes, places, crops);
    const shared = { dimension: size * size, experts, variance };
    const patches = { ...batch, size };
    const estimates = await guidedEstimates(runner, shared, patches);
    const { loss, errors } = places.errorOf(estimates, batch.clean);
    if (!Number.isFinite(loss)) {
      throw new GaussianizeError(
        "fit-failed",
        `The fit cannot go on after ${step} steps: its error is ${loss}.`,
      );
    }
    onStep?.(step, loss / (scale * scale));
    const gradients = await guidedGradients(runner, shared, patches, errors);
    const rate = learningRate * schedule(step, steps);
    ({ experts, optimiser } = nextExperts(experts, optimiser, gradients, rate));
  }
  return { ...start.guided, experts };
}

type Asked = GuidedFitOptions & typeof defaults;

function checkNumbers({ images, steps, crops, learningRate, classes }: Asked): void {
  for (const [name, value] of Object.entries({ images, steps, crops })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw expected(name, "be a positive integer", value);
    }
  }
  if (!(learningRate > 0 && learningRate < Infinity)) {
    throw expected("learningRate", "be a positive number", learningRate);
  }
  checkShares(classes);
}

async function prepare(runner: TaskRunner, options: Asked) {
  const { prior, images, load, seed, classes, signal, onEstimate } = options;
  const { size, noiseLevel } = readingOf(options);
  const crop = cropSide(size, patchesAcross);
  const places = new CropPlaces({ patch: size, crop, stride: cropStride(size) });
  const triples = await tripleImages(runner, {
    prior,
    sigma: noiseLevel,
    images,
    load,
    leastSide: crop,
    seed,
    signal,
    onEstimate,
  });
  const guides = triples.map(({ guide }) => guide);
  const bounds = boundsOfShares(guides, size, classes);
  const { scale, shift } = standardization(triples.map(({ noisy }) => noisy));
  const settings = { size, noiseLevel, scale, shift, bounds };
  const scenes = triples.map((triple) => sceneOf(triple, settings));
  const variance = square(scale * noiseLevel);
  const experts = startExperts(scenes, { size, classes: classCount(bounds), variance, seed });
  const guided = { ...settings, experts };
  checkGuided(guided);
  return { places, start: { scenes, guided } };
}

function readingOf({ prior, noiseLevel }: GuidedFitOptions) {
  const reading = requireReading(prior, "the prior");
  const level = noiseLevel ?? reading.noiseLevel;
  if (level === undefined || !(level > 0 && level < Infinity)) {
    throw expected("noiseLevel", "be a positive number, where the prior does not tell it", level);
  }
  return { size: reading.layout.size, noiseLevel: level };
}

function arraysOf(expert: GuidedExpert): readonly Float32Array[] {
  return expertFields.map((field) => expert[field]);
}

/** Kept: there are classes without a patch in most steps. */
const zeros = new Map<number, Float32Array>();

function zerosLike({ length }: Float32Array): Float32Array {
  const kept = zeros.get(length) ?? new Float32Array(length);
  zeros.set(length, kept);
  return kept;
}

function nextExperts(
  experts: readonly GuidedExpert[],
  optimiser: OptimiserState,
  gradients: Awaited<ReturnType<typeof guidedGradients>>,
  rate: number,
): { readonly experts: readonly GuidedExpert[]; readonly optimiser: OptimiserState } {
  const slopes = experts.flatMap((expert, k) => gradients[k] ?? arraysOf(expert).map(zerosLike));
  const { state, directions } = stepOptimiser(optimiser, slopes);
  const next = experts.map((expert, k) =>
    expertOf((field) => {
      const direction = directions[k * expertFields.length + expertFields.indexOf(field)];
      const [least, most] = limits[field];
      const moved = new Float32Array(direction.length);
      for (let i = 0; i < moved.length; i++) {
        moved[i] = Math.min(most, Math.max(least, expert[field][i] - rate * direction[i]));
      }
      return moved;
    }),
  );
  return { experts: next, optimiser: state };
}
