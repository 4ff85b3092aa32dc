/** Prepares a fit to images: preprocessing, whitening and validation samples. */
import { gaussianize } from "../density/induced-density.js";
import type { GreyImage } from "../images/grey-image.js";
import { concatenated } from "../kernels/concatenated.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError } from "../parallel/abort-error.js";
import { inTurns } from "../parallel/in-turns.js";
import type { TaskRunner } from "../parallel/job.js";
import type { LoadImage } from "../patches/image-window.js";
import { type PatchLayout, patchDimension } from "../patches/patch-layout.js";
import { type BatchPart, PatchSupply } from "../patches/patch-supply.js";
import { type ReadingPlan, lanesFor, runsAmong } from "../patches/reading-plan.js";
import { rangeOf } from "../numbers/order-statistics.js";
import { type Affine, affine } from "../transforms/affine.js";
import { type Pointwise, pointwise } from "../transforms/pointwise.js";
import { zcaWork } from "../transforms/whitening.js";
import { fitPreprocessing, inDimension } from "./fit-pointwise.js";
import type { PreprocessingKind } from "./fit-options.js";
import {
  type HoldOutOptions,
  type ValidationSamples,
  energyOf,
  holdOut,
  validationSamples,
} from "./held-out.js";

export type PreparationPhase = "images" | "preprocessing" | "whitening" | "blocks";

export interface PreparationOptions extends HoldOutOptions, Partial<ReadingPlan> {
  readonly preprocessing: PreprocessingKind;
  /** Patches or crops per step. */
  readonly batch: number;
  readonly onPhase?: (phase: PreparationPhase) => void;
}

export interface PreparedFit {
  /** First stage of the model, fitted. */
  readonly preprocessing: Pointwise | Affine;
  /** ZCA whitening of preprocessed patches. */
  readonly whitening: FloatArray;
  /** Makes a supply of preprocessed patches, for a fit to crops that starts from their blocks. */
  readonly patchesOf: (batch: number) => PatchSupply;
  /** Returns the preprocessed samples or crops of a step, or of a part of its batch. */
  readonly batchAt: (step: number, part?: BatchPart) => Promise<Float32Array>;
  /** ½ E x² of a preprocessed component. */
  readonly energyPerDimension: number;
  readonly validation: ValidationSamples | null;
  /** Training samples to compare start and result on; null with validation samples or crops. */
  readonly compared: Float32Array | null;
  /** Number of training images; unusable ones are subtracted if all images fit in memory. */
  readonly trainingImages: number;
  readonly heldOutImages: number;
  /** Highest of the values that the preprocessing was fitted to. */
  readonly highest: number;
}

/** Number of values that the preprocessing is fitted to. */
const pixelsForCurve = 200_000;
/** Samples for each row of the covariance. */
const samplesPerDimension = 32;
/** Most samples for the covariance: each costs the square of the dimension. */
const mostSamples = 16_384;
const leastSamples = 5000;
/** Samples to compare start and result on. */
const comparedSamples = 2048;

export async function prepareFit(
  runner: TaskRunner,
  options: PreparationOptions,
): Promise<PreparedFit> {
  const { batch, crops, onPhase, signal } = options;
  const n = patchDimension(options.reading.layout);
  const enough = Math.max(leastSamples, Math.min(mostSamples, samplesPerDimension * n));
  onPhase?.("images");
  const held = await holdOut(options);
  const { training, decoded } = held;
  const images = new FirstLoads(loadAmong(training, options));
  if (decoded) images.add(training.indexOf(decoded.index), decoded.image);
  const values = await valuesOf(images, training, options, crops ? enough : 0);
  onPhase?.("preprocessing");
  const pixels = await stageOfPixels(runner, values, options);
  const stage = inDimension(pixels, n);
  const supply = supplyOfSteps(runner, pixels, images, training, options);
  onPhase?.("whitening");
  // The blocks of a crop are too similar for a covariance, so crops use separate patches.
  const sample = crops
    ? (await gaussianize(runner, stage, values)).y
    : await firstSamples(supply, batch, enough);
  const whitening = await inTurns(zcaWork(sample, n), signal);
  // Only then has every image been read, and the number of unusable ones is known.
  const isAll = (options.window ?? training.length) >= training.length;
  const validation = await validationSamples(runner, stage, held, options);
  return {
    preprocessing: stage,
    whitening,
    patchesOf: (count) =>
      supplyOf(training, options, {
        load: preprocessing(runner, pixels, images.look),
        layout: options.reading.layout,
        batch: count,
      }),
    batchAt: (step, part) => supply.batchAt(step, part),
    energyPerDimension: energyOf(sample),
    validation,
    compared:
      validation || crops ? null : Float32Array.from(sample.subarray(0, comparedSamples * n)),
    trainingImages: training.length - (isAll ? images.unusable : 0),
    highest: rangeOf(values).highest,
    heldOutImages: validation?.images ?? 0,
  };
}

/** Loads images by their place among the training images. */
function loadAmong(training: Uint32Array, { load, signal }: PreparationOptions): LoadImage {
  return (index, round, until = index + 1) =>
    signal?.aborted
      ? Promise.reject(abortError(signal))
      : load(training[index], round, training[until - 1] + 1);
}

/** Returns a supply; all supplies of a fit have the same images in their first windows. */
function supplyOf(
  training: Uint32Array,
  { seed, window, runs, batch }: PreparationOptions,
  cut: { readonly load: LoadImage; readonly layout: PatchLayout; readonly batch: number },
): PatchSupply {
  const images = training.length;
  const runsOfTraining = runsAmong(training, runs);
  const plan = { window: window ?? images, ...(runsOfTraining && { runs: runsOfTraining }) };
  const lanes = Math.min(lanesFor(images, plan, batch), lanesFor(images, plan, cut.batch));
  return new PatchSupply({ images, ...cut, seed, ...plan, lanes });
}

/** Returns at least `least` samples to fit the preprocessing to. */
async function valuesOf(
  images: FirstLoads,
  training: Uint32Array,
  options: PreparationOptions,
  least: number,
): Promise<Float32Array> {
  const { layout } = options.reading;
  const batch = Math.max(Math.ceil(pixelsForCurve / patchDimension(layout)), least);
  const values = await supplyOf(training, options, { load: images.keep, layout, batch }).batchAt(0);
  // Copied, to release the larger block behind the view.
  return values.slice();
}

async function stageOfPixels(
  runner: TaskRunner,
  values: Float32Array,
  { preprocessing: kind, seed, signal, reading }: PreparationOptions,
): Promise<Pointwise | Affine> {
  const curve = await fitPreprocessing(runner, values, { kind, seed, ...(signal && { signal }) });
  return curve.kind === "affine" && reading.layout.removeMean ? withoutShift(curve) : curve;
}

/** Returns the supply of preprocessed patches or crops. */
function supplyOfSteps(
  runner: TaskRunner,
  pixels: Pointwise | Affine,
  images: FirstLoads,
  training: Uint32Array,
  options: PreparationOptions,
): PatchSupply {
  const { crops, batch, reading } = options;
  const load = preprocessing(runner, pixels, images.take);
  const layout = { ...reading.layout, size: crops?.side ?? reading.layout.size };
  return supplyOf(training, options, { load, layout, batch });
}

/** Returns a loader of preprocessed images. */
function preprocessing(runner: TaskRunner, pixels: Pointwise | Affine, load: LoadImage): LoadImage {
  return async (...which) => {
    const image = await load(...which);
    return image && { ...image, pixels: await preprocessed(runner, pixels, image.pixels) };
  };
}

/** Drops the shift, since subtracting the mean of a patch cancels it. */
function withoutShift(stage: Affine): Affine {
  return affine({ ...stage, shift: new Float32Array(stage.shift.length) });
}

const rowLengths = [256, 64, 16, 4];

/** Applies a stage of one component to each pixel. */
async function preprocessed(
  runner: TaskRunner,
  stage: Pointwise | Affine,
  values: Float32Array,
): Promise<Float32Array> {
  if (stage.kind === "affine") {
    const [scale, shift] = [stage.scale[0], stage.shift[0]];
    return values.map((value) => scale * value + shift);
  }
  // Groups pixels into samples, because the results kept per sample cost more than a pixel.
  const dimension = rowLengths.find((length) => values.length % length === 0) ?? 1;
  const { y } = await gaussianize(runner, pointwise({ ...stage, dimension }), values);
  return y instanceof Float32Array ? y : Float32Array.from(y);
}

async function firstSamples(
  supply: PatchSupply,
  batch: number,
  count: number,
): Promise<Float32Array> {
  const batches: Float32Array[] = [];
  for (let step = 0; step * batch < count; step++) batches.push(await supply.batchAt(step));
  return concatenated(Float32Array, batches);
}

/** Keeps images decoded before the first step, so that the fit does not decode them again. */
class FirstLoads {
  private readonly kept = new Map<number, Promise<GreyImage | undefined>>();
  unusable = 0;

  constructor(private readonly load: LoadImage) {}

  /** Adds an image of the first round that was decoded before. */
  add(index: number, image: GreyImage): void {
    this.kept.set(index, Promise.resolve(image));
  }

  readonly keep: LoadImage = (index, round, until) => {
    const present = round === 0 ? this.kept.get(index) : undefined;
    if (present) return present;
    const image = this.load(index, round, until).then((loaded) => {
      if (!loaded) this.unusable++;
      return loaded;
    });
    if (round === 0) this.kept.set(index, image);
    return image;
  };

  /** Returns an image that is kept, or loads it without keeping it. */
  readonly look: LoadImage = (index, round, until) =>
    (round === 0 ? this.kept.get(index) : undefined) ?? this.load(index, round, until);

  readonly take: LoadImage = (index, round, until) => {
    const image = round === 0 ? this.kept.get(index) : undefined;
    if (image) {
      this.kept.delete(index);
      return image;
    }
    // The fit has moved on to other images, so the kept ones would never be released.
    this.kept.clear();
    return this.load(index, round, until);
  };
}
