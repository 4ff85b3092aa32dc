/**
 * All that comes before the first step of a fit to images: the preprocessing, the whitening, and
 * samples to validate with.
 */
import { gaussianize } from "../density/induced-density.js";
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
import { FirstLoads } from "./first-loads.js";
import {
  type HoldOutOptions,
  type ValidationSamples,
  energyOf,
  holdOut,
  validationSamples,
} from "./held-out-samples.js";

export type PreparationPhase = "images" | "preprocessing" | "whitening";

export interface PreparationOptions extends HoldOutOptions, Partial<ReadingPlan> {
  readonly preprocessing: PreprocessingKind;
  /** Patches, or crops, of a step. */
  readonly batch: number;
  readonly onPhase?: (phase: PreparationPhase) => void;
}

export interface PreparedFit {
  /** The first stage of the model, fitted. */
  readonly preprocessing: Pointwise | Affine;
  /** Of patches. */
  readonly whitening: FloatArray;
  /**
   * Preprocessed samples of a step, or crops; of some leaves of it only, where a part is asked for.
   */
  readonly batchAt: (step: number, part?: BatchPart) => Promise<Float32Array>;
  /** ½ E x² of a preprocessed component. */
  readonly energyPerDimension: number;
  readonly validation: ValidationSamples | null;
  /**
   * Training samples to compare start and result on; null where there are validation samples, or
   * steps are of crops.
   */
  readonly compared: Float32Array | null;
  /** Without those that are known to be unusable, where all images are in memory at once. */
  readonly trainingImages: number;
  readonly heldOutImages: number;
  /** Of the values that the preprocessing was fitted to. */
  readonly highest: number;
}

/** Values that the preprocessing is fitted to. */
const pixelsForCurve = 200_000;
/** Of the covariance, for each of its rows. */
const samplesPerDimension = 32;
/** More rows have fewer: their number squared is the work of each. */
const mostSamples = 16_384;
const leastSamples = 5000;
/** To compare start and result on. */
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
  // The blocks of a crop are too much alike.
  const sample = crops
    ? (await gaussianize(runner, stage, values)).y
    : await firstSamples(supply, batch, enough);
  const whitening = await inTurns(zcaWork(sample, n), signal);
  // Only then has each had its turn, and the number is the same whenever somebody asks.
  const isAll = (options.window ?? training.length) >= training.length;
  const validation = await validationSamples(runner, stage, held, options);
  return {
    preprocessing: stage,
    whitening,
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

/** Images by their places among those that are fitted to. */
function loadAmong(training: Uint32Array, { load, signal }: PreparationOptions): LoadImage {
  return (index, round, until = index + 1) =>
    signal?.aborted
      ? Promise.reject(abortError(signal))
      : load(training[index], round, training[until - 1] + 1);
}

/** All supplies of a fit have the same images in their first windows. */
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

/** Samples that the preprocessing is fitted to, at least so many. */
async function valuesOf(
  images: FirstLoads,
  training: Uint32Array,
  options: PreparationOptions,
  least: number,
): Promise<Float32Array> {
  const { layout } = options.reading;
  const batch = Math.max(Math.ceil(pixelsForCurve / patchDimension(layout)), least);
  const values = await supplyOf(training, options, { load: images.keep, layout, batch }).batchAt(0);
  // A view of a block that nobody else needs.
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

/** Preprocessed patches, or crops. */
function supplyOfSteps(
  runner: TaskRunner,
  pixels: Pointwise | Affine,
  images: FirstLoads,
  training: Uint32Array,
  options: PreparationOptions,
): PatchSupply {
  const { crops, batch, reading } = options;
  const load: LoadImage = async (...which) => {
    const image = await images.take(...which);
    return image && { ...image, pixels: await preprocessed(runner, pixels, image.pixels) };
  };
  const layout = { ...reading.layout, size: crops?.side ?? reading.layout.size };
  return supplyOf(training, options, { load, layout, batch });
}

/** What subtracts the mean of a patch subtracts a shift, too. */
function withoutShift(stage: Affine): Affine {
  return affine({ ...stage, shift: new Float32Array(stage.shift.length) });
}

const rowLengths = [256, 64, 16, 4];

/** The pixels of an image, each by itself. */
async function preprocessed(
  runner: TaskRunner,
  stage: Pointwise | Affine,
  values: Float32Array,
): Promise<Float32Array> {
  if (stage.kind === "affine") {
    const [scale, shift] = [stage.scale[0], stage.shift[0]];
    return values.map((value) => scale * value + shift);
  }
  // Pixels in rows, because what is kept of every sample costs more than a pixel does.
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
