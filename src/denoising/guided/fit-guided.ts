/**
 * Fits guided densities (guided-density.ts) to the error of denoised pictures. Images get noise and
 * a first estimate by a prior. Then crops are denoised, and the parameters of all classes follow
 * the gradient of the mean squared error.
 */
import { checkRunner } from "../../density/batch-passes.js";
import type { Model } from "../../density/model-files/model.js";
import { requireReading } from "../../density/model-files/model-reading.js";
import { GaussianizeError, expected } from "../../errors.js";
import { addTo } from "../../kernels/float-arrays.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { requireCounts } from "../../images/grey-image.js";
import { square } from "../../numbers/square.js";
import { abortError } from "../../parallel/abort-error.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { LoadImage } from "../../patches/image-window.js";
import { copyPatch } from "../../patches/patch-layout.js";
import { type Seed, createRandom } from "../../random/random-stream.js";
import { CropPlaces, cropSide, cropStride } from "../../training/crop-places.js";
import {
  type ReusedArrays,
  schedule,
  startOptimiser,
  stepOptimiser,
} from "../../training/optimisers.js";
import { checkFields } from "../../transforms/checks.js";
import { symmetricEigen } from "../../transforms/symmetric-eigen.js";
import {
  type GuidedDensities,
  type GuidedExpert,
  type GuidedSettings,
  checkGuided,
  expertLength,
} from "./guided-density.js";
import {
  type ClassShares,
  boundsOfShares,
  checkShares,
  classCount,
  classOfKind,
  poseMaps,
  poseOfKind,
} from "./patch-classes.js";
import { type GuidedFitResult, guidedFitJob } from "./guided-fit-job.js";
import { expertOfParameters, moveParameters, parametersOf } from "./guided-parameters.js";
import {
  type Scene,
  type Triple,
  cropBatch,
  sceneOf,
  standardization,
  tripleImages,
} from "./training-scenes.js";

export interface GuidedFitOptions {
  /** Model that makes the first estimates. */
  readonly prior: Model;
  /** Noise level for pixels from 0 to 1, default that of the prior. */
  readonly noiseLevel?: number;
  /**
   * Densities of the round before: the guides are then the estimates of that round, refined by the
   * similar patches of the image. Default: the guides are the first estimates.
   */
  readonly earlier?: GuidedDensities | undefined;
  /** Number of clean images; at most 256, drawn by the seed, are used and kept in memory. */
  readonly images: number;
  readonly load: LoadImage;
  /** Default 3000. */
  readonly steps?: number;
  /** Crops per step, default 64. */
  readonly crops?: number;
  /** Largest learning rate, default 0.004. */
  readonly learningRate?: number;
  /** Shares of the classes of patches. */
  readonly classes?: ClassShares;
  readonly seed?: Seed;
  readonly signal?: AbortSignal;
  /** Reports the first estimates that are done, and their total. */
  readonly onEstimate?: (done: number, total: number) => void;
  /** Reports the mean squared error of the crops of a step, per pixel. */
  readonly onStep?: (step: number, meanSquaredError: number) => void;
}

const optionFields = [
  "prior",
  "earlier",
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

/** Rings of blocks around a patch in the last round. */
const lastRings = 2;
/** Patches along one side of a crop. */
const patchesAcross = 6;
/** Two patches of five have hardly any edges; the few with strong edges matter most. */
const defaultClasses: ClassShares = { strengths: [0.4, 0.62, 0.78, 0.88, 0.95], coherences: 3 };
const defaults = {
  steps: 3000,
  crops: 64,
  learningRate: 0.004,
  classes: defaultClasses,
  seed: 1 as Seed,
};

/** Fits densities, with the same bits for any number of workers. */
export async function fitGuided(
  runner: TaskRunner,
  options: GuidedFitOptions,
): Promise<GuidedDensities> {
  checkRunner(runner);
  checkFields("the options", options, optionFields);
  const asked = { ...defaults, ...options };
  checkNumbers(asked);
  const { prior, earlier, images, load, seed, signal, onEstimate } = asked;
  const { size, noiseLevel } = readingOf(asked);
  const triples = await tripleImages(runner, {
    prior,
    earlier,
    sigma: noiseLevel,
    images,
    load,
    leastSide: cropSide(size, patchesAcross),
    seed,
    signal,
    onEstimate,
  });
  return fitToTriples(runner, triples, {
    ...asked,
    size,
    noiseLevel,
    isLast: earlier !== undefined,
  });
}

/** Fits densities to images with estimates that guide them. */
export async function fitToTriples(
  runner: TaskRunner,
  triples: readonly Triple[],
  options: FitSettings,
): Promise<GuidedDensities> {
  const { steps, crops, learningRate, seed, signal, onStep } = options;
  const { scenes, guided } = startOf(triples, options);
  const { size, rings = 0, noiseLevel, scale } = guided;
  const layout = { patch: size, crop: cropSide(size, patchesAcross), stride: cropStride(size) };
  const places = new CropPlaces(layout);
  const variance = square(scale * noiseLevel);
  const common = { rings, crops: layout, variance, mostCrops: Math.min(cropsOfTask, crops) };
  const parts = partsOf(crops);
  const classes = guided.experts.map((expert) => parametersOf(expert, guided));
  let optimiser = startOptimiser("adam", classes);
  const reused: { -readonly [K in keyof ReusedArrays]: ReusedArrays[K] } = {};
  for (let step = 0; step < steps; step++) {
    if (signal?.aborted) throw abortError(signal);
    const random = createRandom(seed, "guided crops", step);
    const batches = parts.map((count) => cropBatch(random, scenes, { places, size, rings }, count));
    const results = await runner.run(
      guidedFitJob,
      { ...common, classes },
      {
        length: batches.length,
        at: (k) => ({ task: batches[k], transfer: [] }),
      },
    );
    const squares = results.reduce((sum, result) => sum + result.squares, 0);
    const pixels = results.reduce((sum, result) => sum + result.pixels, 0);
    const loss = squares / pixels;
    if (!Number.isFinite(loss)) {
      throw new GaussianizeError("fit-failed", `The fit failed at step ${step}: error ${loss}.`);
    }
    onStep?.(step, loss / (scale * scale));
    const sums = sumOfGradients(results.map(({ gradients }) => gradients));
    const before = optimiser;
    const slopes = classes.map((own, k) => sums[k] ?? zerosLike(own));
    const { state, directions } = stepOptimiser(before, slopes, reused);
    optimiser = state;
    [reused.moments, reused.directions] = [before.moments, directions];
    const rate = learningRate * schedule(step, steps);
    classes.forEach((own, k) => {
      moveParameters(own, directions[k], rate, guided);
    });
  }
  return { ...guided, experts: classes.map((own) => expertOfParameters(own, guided)) };
}

/** Crops of one task: fixed, because gradients are summed task by task. */
const cropsOfTask = 32;

function partsOf(crops: number): readonly number[] {
  return Array.from({ length: Math.ceil(crops / cropsOfTask) }, (_, k) =>
    Math.min(cropsOfTask, crops - k * cropsOfTask),
  );
}

/** Sums in the order of the tasks: the same bits for any number of workers. */
function sumOfGradients(
  all: readonly GuidedFitResult["gradients"][],
): readonly (FloatArray | null)[] {
  const [sums, ...others] = all.map((gradients) => [...gradients]);
  for (const gradients of others) {
    gradients.forEach((gradient, k) => {
      const sum = sums[k];
      if (gradient && sum) addTo(sum, gradient);
      else sums[k] = sum ?? gradient;
    });
  }
  return sums;
}

type Asked = GuidedFitOptions & typeof defaults;

function checkNumbers({ images, steps, crops, learningRate, classes }: Asked): void {
  requireCounts({ images, steps, crops });
  if (!(learningRate > 0 && learningRate < Infinity)) {
    throw expected("learningRate", "be a positive number", learningRate);
  }
  checkShares(classes);
}

export interface FitSettings extends Pick<
  Asked,
  "steps" | "crops" | "learningRate" | "classes" | "seed" | "signal" | "onStep"
> {
  readonly size: number;
  readonly noiseLevel: number;
  /** Whether the guides are nearly as good as the estimates will be. */
  readonly isLast: boolean;
}

function startOf(triples: readonly Triple[], options: FitSettings) {
  const { size, noiseLevel, classes, seed, isLast } = options;
  const bounds = boundsOfShares(
    triples.map(({ guide }) => guide),
    size,
    classes,
  );
  const { scale, shift } = standardization(triples.map(({ noisy }) => noisy));
  const settings = { size, ...(isLast && { rings: lastRings }), noiseLevel, scale, shift, bounds };
  const scenes = triples.map((triple) => sceneOf(triple, settings));
  const moments = secondMoments(scenes, size, classCount(bounds), seed);
  const variance = square(scale * noiseLevel);
  const experts = moments.map((moment) => {
    const axes = principalAxes(moment);
    return isLast ? startAtGuide(axes, settings, variance) : startAtWiener(axes, variance);
  });
  const guided = { ...settings, experts };
  checkGuided(guided);
  return { scenes, guided };
}

/** Start values of γ on its diagonal, and of a row beside it; zeros would learn more slowly. */
const [own, others] = [0.9, 0.1];

/** Starts an expert as the Wiener filter along the principal axes of the patches of its class. */
function startAtWiener(axes: Float32Array, variance: number): GuidedExpert {
  const n = Math.sqrt(axes.length);
  const share = (k: number): number => (k % (n + 1) === 0 ? own : others / n);
  return {
    H: axes,
    G: axes.slice(),
    gamma: Float32Array.from(axes, (_, k) => share(k)),
    alpha: new Float32Array(n).fill(2),
    beta: new Float32Array(n).fill(variance),
  };
}

/** Errors of a good guide: a share of the squared responses, and of the variance of the noise. */
const [shareOfResponse, shareOfNoise] = [0.02, 0.05];

/** Starts an expert near the guide, which is its mean: M = H. Blocks have no influence yet. */
function startAtGuide(
  axes: Float32Array,
  settings: GuidedSettings,
  variance: number,
): GuidedExpert {
  const expert = startAtWiener(axes, (1 + shareOfNoise) * variance);
  const n = expert.beta.length;
  const wide = new Float32Array(expertLength("G", settings));
  for (let i = 0; i < n; i++) {
    wide.set(axes.subarray(i * n, (i + 1) * n), (i * wide.length) / n);
  }
  return {
    ...expert,
    G: wide,
    gamma: expert.gamma.map((value) => shareOfResponse * value),
    M: wide.slice(),
    omega: new Float32Array(n).fill(1),
  };
}

function principalAxes(moment: Float64Array): Float32Array {
  return Float32Array.from(symmetricEigen(moment, Math.sqrt(moment.length)).vectors);
}

/** Patches of each class, and draws per patch: enough to reach the rarest class. */
const [samples, tries] = [4096, 16];

/** Returns Σ x xᵀ of patches of the guides in their pose, for each class. */
function secondMoments(
  scenes: readonly Scene[],
  size: number,
  classes: number,
  seed: Seed,
): Float64Array[] {
  const n = size * size;
  const moments = Array.from({ length: classes }, () => new Float64Array(n * n));
  const counts = new Uint32Array(classes);
  const maps = poseMaps(size);
  const patch = new Float32Array(n);
  const layout = { size, removeMean: false };
  const random = createRandom(seed, "guided start");
  for (let k = 0; k < tries * classes * samples; k++) {
    const { noisy, guide, kinds } = scenes[random.integer(scenes.length)];
    const left = random.integer(noisy.width - size + 1);
    const top = random.integer(noisy.height - size + 1);
    const corner = top * noisy.width + left;
    const kind = kinds[corner];
    const expert = classOfKind(kind);
    if (counts[expert] >= samples) continue;
    counts[expert]++;
    // The guide has a margin.
    const margin = (guide.width - noisy.width) / 2;
    const from = (top + margin) * guide.width + left + margin;
    copyPatch(guide.pixels, guide.width, from, layout, patch, 0);
    addSquare(moments[expert], patch, maps[poseOfKind(kind)]);
  }
  return moments;
}

function addSquare(moment: Float64Array, patch: Float32Array, map: Uint16Array): void {
  const n = patch.length;
  for (let i = 0; i < n; i++) {
    const value = patch[map[i]];
    for (let j = 0; j < n; j++) moment[i * n + j] += value * patch[map[j]];
  }
}

function readingOf({ prior, noiseLevel }: GuidedFitOptions) {
  const reading = requireReading(prior, "the prior");
  const level = noiseLevel ?? reading.noiseLevel;
  if (level === undefined || !(level > 0 && level < Infinity)) {
    throw expected("noiseLevel", "be a positive number if the prior has none", level);
  }
  return { size: reading.layout.size, noiseLevel: level };
}

/** Cache of gradients for classes without a patch, which occur in most steps. */
const zeros = new Map<number, Float32Array>();

function zerosLike({ length }: Float32Array): Float32Array {
  const kept = zeros.get(length) ?? new Float32Array(length);
  zeros.set(length, kept);
  return kept;
}
