/**
 * Fits guided densities (guided-density.ts) to the error of denoised pictures. Images get noise and
 * a first estimate by a prior. Then crops are denoised, and the parameters of all classes follow
 * the gradient of the mean squared error.
 */
import { checkRunner } from "../../density/batch-passes.js";
import type { Model } from "../../density/model-files/model.js";
import { requireReading } from "../../density/model-files/model-reading.js";
import { GaussianizeError, expected } from "../../errors.js";
import { requireCounts } from "../../images/grey-image.js";
import { square } from "../../numbers/square.js";
import { abortError } from "../../parallel/abort-error.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { LoadImage } from "../../patches/image-window.js";
import { copyPatch } from "../../patches/patch-layout.js";
import { type Seed, createRandom } from "../../random/random-stream.js";
import { CropPlaces, cropSide, cropStride } from "../../training/crop-places.js";
import {
  type OptimiserState,
  schedule,
  startOptimiser,
  stepOptimiser,
} from "../../training/optimisers.js";
import { checkFields } from "../../transforms/checks.js";
import { symmetricEigen } from "../../transforms/symmetric-eigen.js";
import {
  type GuidedDensities,
  type GuidedExpert,
  checkGuided,
  expertFields,
  expertOf,
  limits,
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
import { guidedEstimates, guidedGradients } from "./run-guided.js";
import {
  type Scene,
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
      throw new GaussianizeError("fit-failed", `The fit failed at step ${step}: error ${loss}.`);
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
  requireCounts({ images, steps, crops });
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
  const moments = secondMoments(scenes, size, classCount(bounds), seed);
  const experts = startExperts(moments, variance);
  const guided = { ...settings, experts };
  checkGuided(guided);
  return { places, start: { scenes, guided } };
}

/** Start values of γ on its diagonal, and of a row beside it; zeros would learn more slowly. */
const [own, others] = [0.9, 0.1];

/** Starts each expert as the Wiener filter along the principal axes of the patches of its class. */
function startExperts(moments: readonly Float64Array[], variance: number): readonly GuidedExpert[] {
  return moments.map((moment) => {
    const n = Math.sqrt(moment.length);
    const axes = Float32Array.from(symmetricEigen(moment, n).vectors);
    const share = (k: number): number => (k % (n + 1) === 0 ? own : others / n);
    return {
      H: axes,
      G: axes.slice(),
      gamma: Float32Array.from(moment, (_, k) => share(k)),
      alpha: new Float32Array(n).fill(2),
      beta: new Float32Array(n).fill(variance),
    };
  });
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
    const { guide, kinds } = scenes[random.integer(scenes.length)];
    const left = random.integer(guide.width - size + 1);
    const corner = random.integer(guide.height - size + 1) * guide.width + left;
    const kind = kinds[corner];
    const expert = classOfKind(kind);
    if (counts[expert] >= samples) continue;
    counts[expert]++;
    copyPatch(guide.pixels, guide.width, corner, layout, patch, 0);
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

function arraysOf(expert: GuidedExpert): readonly Float32Array[] {
  return expertFields.map((field) => expert[field]);
}

/** Cache of gradients for classes without a patch, which occur in most steps. */
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
