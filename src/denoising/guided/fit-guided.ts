/**
 * Guided densities (guided-density.ts), fitted for the error of the pictures that are denoised with them. Images get
 * noise, and a first estimate by a prior; crops of them are denoised, and the parameters of all classes follow the gradient of the mean
 * squared error.
 */
import { checkRunner } from "../../density/batch-passes.js";
import type { Model } from "../../density/model-files/model.js";
import { requireReading } from "../../density/model-files/model-reading.js";
import { guideStride } from "./denoise-guided.js";
import { denoiseImage } from "../empirical-bayes.js";
import {
  type GuidedDensities,
  type GuidedExpert,
  expertFields,
  expertOf,
  leastOf,
} from "./guided-density.js";
import {
  type ClassBounds,
  type ClassShares,
  boundsOfShares,
  classCount,
  classifyPatches,
  poseCount,
  poseMaps,
} from "./patch-classes.js";
import { guidedEstimates, guidedGradients } from "./run-guided.js";
import { expected } from "../../errors.js";
import type { GreyImage } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { abortError } from "../../parallel/abort-error.js";
import type { LoadImage } from "../../patches/image-window.js";
import { copyPatch } from "../../patches/patch-layout.js";
import { withWhiteNoise } from "../../preprocessing/white-noise.js";
import { type RandomStream, type Seed, createRandom } from "../../random/random-stream.js";
import { checkFields } from "../../transforms/checks.js";
import { symmetricEigen } from "../../transforms/symmetric-eigen.js";
import { CropPlaces } from "../../training/crop-places.js";
import { schedule } from "../../training/fit-transform.js";
import { type OptimiserState, startOptimiser, stepOptimiser } from "../../training/optimisers.js";

export interface GuidedFitOptions {
  /** Makes the first estimates. */
  readonly prior: Model;
  /** Standard deviation of the noise, pixels being from 0 to 1; default that of the prior. */
  readonly noiseLevel?: number;
  /** Number of clean images, and how to get one; at most 256 of them, drawn by the seed, are used and kept in memory. */
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

const optionFields: readonly (keyof GuidedFitOptions)[] = [
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
];

const mostImages = 256;
/** Of a crop, along one side; they overlap by half. */
const patchesAcross = 6;
/** Two patches of five have next to no edges; of the others, the few with strong ones matter most. */
const defaultClasses: ClassShares = { strengths: [0.4, 0.62, 0.78, 0.88, 0.95], coherences: 3 };

/** The same bits for any number of workers. */
export async function fitGuided(
  runner: TaskRunner,
  options: GuidedFitOptions,
): Promise<GuidedDensities> {
  checkRunner(runner);
  checkFields("the options", options, optionFields);
  const { steps = 3000, crops = 64, learningRate = 0.004, seed = 1, signal, onStep } = options;
  const { classes = defaultClasses } = options;
  const { size, noiseLevel } = readingOf(options);
  const triples = await tripleImages(runner, options, noiseLevel);
  const { scale, shift } = standardization(triples.map(({ noisy }) => noisy));
  const guides = triples.map(({ guide }) => guide);
  const bounds = boundsOfShares(guides, size, classes);
  const scenes = triples.map((triple) => sceneOf(triple, size, bounds, scale, shift));
  const variance = (scale * noiseLevel) ** 2;
  const stride = Math.max(1, Math.floor(size / 2));
  const crop = size + (patchesAcross - 1) * stride;
  const places = new CropPlaces({ patch: size, crop, stride });
  let experts = startExperts(scenes, size, classCount(bounds), variance);
  let optimiser = startOptimiser("adam", experts.flatMap(arraysOf));
  for (let step = 0; step < steps; step++) {
    if (signal?.aborted) throw abortError(signal);
    const batch = cropBatch(createRandom(seed, "guided crops", step), scenes, places, crop, crops);
    const shared = { dimension: size * size, experts, variance };
    const patches = { ...batch, size };
    const estimates = await guidedEstimates(runner, shared, patches);
    const { loss, errors } = places.errorOf(estimates, batch.clean);
    onStep?.(step, loss / scale ** 2);
    const gradients = await guidedGradients(runner, shared, patches, errors);
    const rate = learningRate * schedule(step, steps);
    ({ experts, optimiser } = nextExperts(experts, optimiser, gradients, rate));
  }
  return { size, noiseLevel, scale, shift, bounds, experts };
}

function readingOf({ prior, noiseLevel }: GuidedFitOptions) {
  const reading = requireReading(prior, "the prior");
  const level = noiseLevel ?? reading.noiseLevel;
  if (level === undefined || !(level > 0 && level < Infinity)) {
    throw expected("noiseLevel", "be a positive number, where the prior does not tell it", level);
  }
  return { size: reading.layout.size, noiseLevel: level };
}

interface Triple {
  readonly clean: GreyImage;
  readonly noisy: GreyImage;
  readonly guide: GreyImage;
}

async function tripleImages(
  runner: TaskRunner,
  { prior, images, load, seed = 1, signal, onEstimate }: GuidedFitOptions,
  sigma: number,
): Promise<readonly Triple[]> {
  const chosen = chooseImages(images, createRandom(seed, "guided images"));
  const triples: Triple[] = [];
  for (const [done, index] of chosen.entries()) {
    const clean = await load(index, 0);
    if (clean) {
      const random = createRandom(seed, "guided noise", index);
      const noisy = { ...clean, pixels: withWhiteNoise(clean.pixels, sigma, random) };
      const how = { sigma, stride: guideStride, ...(signal && { signal }) };
      triples.push({ clean, noisy, guide: await denoiseImage(runner, prior, noisy, how) });
    }
    onEstimate?.(done + 1, chosen.length);
  }
  if (triples.length === 0) throw expected("images", "be some that can be read", images);
  return triples;
}

function chooseImages(images: number, random: RandomStream): readonly number[] {
  const all = Array.from({ length: images }, (_, k) => k);
  for (let k = 0; k < Math.min(mostImages, images); k++) {
    const other = k + random.integer(images - k);
    [all[k], all[other]] = [all[other], all[k]];
  }
  return all.slice(0, mostImages);
}

/** Pixels of mean 0 and variance 1. */
function standardization(images: readonly GreyImage[]): { scale: number; shift: number } {
  let [count, sum, squares] = [0, 0, 0];
  for (const { pixels } of images) {
    count += pixels.length;
    for (const value of pixels) {
      sum += value;
      squares += value * value;
    }
  }
  const mean = sum / count;
  const scale = 1 / Math.sqrt(squares / count - mean * mean);
  return { scale, shift: -scale * mean };
}

/** Standardized, with the kinds of its patches. */
interface Scene extends Triple {
  readonly kinds: Uint16Array;
}

function sceneOf(
  triple: Triple,
  size: number,
  bounds: ClassBounds,
  scale: number,
  shift: number,
): Scene {
  const standardized = (image: GreyImage): GreyImage => ({
    ...image,
    pixels: image.pixels.map((value) => scale * value + shift),
  });
  return {
    kinds: classifyPatches(triple.guide, size, bounds),
    clean: standardized(triple.clean),
    noisy: standardized(triple.noisy),
    guide: standardized(triple.guide),
  };
}

/** Samples of each class for its start. */
const startSamples = 4096;

/** Each begins as the Wiener filter along the principal axes of its patches: γ = 1 on the diagonal, and nearly nothing elsewhere. */
function startExperts(
  scenes: readonly Scene[],
  size: number,
  classes: number,
  variance: number,
): readonly GuidedExpert[] {
  const n = size * size;
  const moments = secondMoments(scenes, size, classes);
  return moments.map((moment) => {
    const axes = Float32Array.from(symmetricEigen(moment, n).vectors);
    return {
      H: axes,
      G: axes.slice(),
      gamma: Float32Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 0.9 : 0.1 / n)),
      alpha: new Float32Array(n).fill(2),
      beta: new Float32Array(n).fill(variance),
    };
  });
}

/** Of the patches of the guides, in their pose. */
function secondMoments(scenes: readonly Scene[], size: number, classes: number): Float64Array[] {
  const n = size * size;
  const moments = Array.from({ length: classes }, () => new Float64Array(n * n));
  const counts = new Uint32Array(classes);
  const maps = poseMaps(size);
  const patch = new Float32Array(n);
  const layout = { size, removeMean: false };
  const random = createRandom(1, "guided start");
  // Enough tries for the rarest class to have its samples, or nearly.
  for (let k = 0; k < 16 * classes * startSamples; k++) {
    const { guide, kinds } = scenes[random.integer(scenes.length)];
    const left = random.integer(guide.width - size + 1);
    const corner = random.integer(guide.height - size + 1) * guide.width + left;
    const kind = kinds[corner];
    const expert = Math.floor(kind / poseCount);
    if (counts[expert]++ >= startSamples) continue;
    copyPatch(guide.pixels, guide.width, corner, layout, patch, 0);
    addSquare(moments[expert], patch, maps[kind % poseCount]);
  }
  return moments;
}

function addSquare(moment: Float64Array, patch: Float32Array, map: Uint16Array): void {
  const n = patch.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) moment[i * n + j] += patch[map[i]] * patch[map[j]];
  }
}

interface CropBatch {
  readonly clean: Float32Array;
  readonly kinds: Uint16Array;
  /** Patches. */
  readonly noisy: Float32Array;
  readonly guide: Float32Array;
}

function cropBatch(
  random: RandomStream,
  scenes: readonly Scene[],
  places: CropPlaces,
  crop: number,
  count: number,
): CropBatch {
  const area = crop * crop;
  const [clean, noisy, guide] = Array.from({ length: 3 }, () => new Float32Array(count * area));
  const perCrop = places.corners.length;
  const kinds = new Uint16Array(count * perCrop);
  const layout = { size: crop, removeMean: false };
  for (let k = 0; k < count; k++) {
    const scene = scenes[random.integer(scenes.length)];
    const { width, height } = scene.clean;
    const left = random.integer(width - crop + 1);
    const corner = random.integer(height - crop + 1) * width + left;
    copyPatch(scene.clean.pixels, width, corner, layout, clean, k * area);
    copyPatch(scene.noisy.pixels, width, corner, layout, noisy, k * area);
    copyPatch(scene.guide.pixels, width, corner, layout, guide, k * area);
    places.corners.forEach((place, p) => {
      const at = corner + Math.floor(place / crop) * width + (place % crop);
      kinds[k * perCrop + p] = scene.kinds[at];
    });
  }
  return { clean, kinds, noisy: places.patchesOf(noisy), guide: places.patchesOf(guide) };
}

function arraysOf(expert: GuidedExpert): readonly Float32Array[] {
  return expertFields.map((field) => expert[field]);
}

/** Kept: there are classes without a patch in most steps. */
const zeros = new Map<number, Float32Array>();

function zerosLike({ length }: Float32Array): Float32Array {
  const own = zeros.get(length) ?? new Float32Array(length);
  zeros.set(length, own);
  return own;
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
      const least = leastOf[field];
      const moved = new Float32Array(direction.length);
      for (let i = 0; i < moved.length; i++) {
        moved[i] = Math.max(least, expert[field][i] - rate * direction[i]);
      }
      return moved;
    }),
  );
  return { experts: next, optimiser: state };
}
