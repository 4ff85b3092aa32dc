/** All that comes before the first step of a fit to images: the preprocessing, the whitening, and samples to validate with. */
import { gaussianize } from "../density/induced-density.js";
import type { GreyImage } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError } from "../parallel/abort-error.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import { type PatchLayout, patchDimension, patchesToSamples } from "../patches/patch-layout.js";
import { PatchSupply } from "../patches/patch-supply.js";
import { randomPatches } from "../patches/random-patches.js";
import { rangeOf } from "../preprocessing/value-range.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { Affine } from "../transforms/affine.js";
import type { Pointwise } from "../transforms/pointwise.js";
import { zcaWhitening } from "../transforms/whitening.js";
import { type PreprocessingKind, fitPreprocessing, inDimension } from "./fit-preprocessing.js";
import { splitAt } from "./held-out.js";

export type PreparationPhase = "images" | "preprocessing" | "whitening";

export interface PreparationOptions {
  /** Number of images, and how to get one. */
  readonly images: number;
  readonly load: LoadImage;
  readonly reading: ImageReading;
  readonly preprocessing: PreprocessingKind;
  /** Patches, or crops, of a step. */
  readonly batch: number;
  /** Of a fit that looks at more than a patch at a time; left out: steps are of patches. */
  readonly crops?: CropOptions;
  readonly seed: Seed;
  /** Of the images, those that are not fitted to. */
  readonly heldOut: number;
  readonly window?: number;
  readonly signal?: AbortSignal;
  readonly onPhase?: (phase: PreparationPhase) => void;
}

export interface CropOptions {
  /** In pixels, a multiple of that of a patch. */
  readonly side: number;
  /** How many to validate with, about. */
  readonly validation: number;
}

export interface PreparedFit {
  /** The first stage of the model, fitted. */
  readonly preprocessing: Pointwise | Affine;
  /** Of patches. */
  readonly whitening: FloatArray;
  /** Preprocessed samples of a step, or crops. */
  readonly batchAt: (step: number) => Promise<Float32Array>;
  /** ½ E x² of a preprocessed component. */
  readonly energyPerDimension: number;
  readonly validation: ValidationSamples | null;
  /** Without those that are known to be unusable, where all images are in memory at once. */
  readonly trainingImages: number;
  readonly heldOutImages: number;
  /** Of the values that the preprocessing was fitted to. */
  readonly highest: number;
}

export interface ValidationSamples {
  /** count×N, preprocessed; or crops. */
  readonly x: FloatArray;
  /** Mean of log |det| of the preprocessing over them, of N values each. */
  readonly logDeterminant: number;
  readonly energyPerDimension: number;
  /** That they are from. */
  readonly images: number;
}

/** Values that the preprocessing is fitted to. */
const pixelsForCurve = 200_000;
/** Of the covariance, for each of its rows. */
const samplesPerDimension = 32;
const leastSamples = 5000;
/** Enough to compare transforms on the same patches; whatever is the size of a batch. */
const validationPatches = 2048;

export async function prepareFit(
  runner: TaskRunner,
  options: PreparationOptions,
): Promise<PreparedFit> {
  const { reading, seed, batch, window, onPhase, signal } = options;
  const { layout } = reading;
  const n = patchDimension(layout);
  const { training, heldOut } = splitAt(options.images, options.heldOut, options.seed);
  const images = new FirstLoads((index, round) =>
    signal?.aborted ? Promise.reject(abortError(signal)) : options.load(training[index], round),
  );
  const side = options.crops?.side ?? layout.size;
  const supplyOf = (load: LoadImage, cut: PatchLayout, size: number): PatchSupply =>
    new PatchSupply({
      images: training.length,
      load,
      layout: cut,
      batch: size,
      seed,
      ...(window === undefined ? {} : { window }),
    });
  onPhase?.("images");
  const enough = Math.max(leastSamples, samplesPerDimension * n);
  const raw = supplyOf(
    images.keep,
    layout,
    Math.max(Math.ceil(pixelsForCurve / n), options.crops ? enough : 0),
  );
  const values = await raw.batchAt(0);
  onPhase?.("preprocessing");
  const curve = await fitPreprocessing(runner, values, {
    kind: options.preprocessing,
    seed,
    ...(signal ? { signal } : {}),
  });
  const pixels = curve.kind === "affine" && layout.removeMean ? withoutShift(curve) : curve;
  const stage = inDimension(pixels, n);
  const load: LoadImage = async (index, round) => {
    const image = await images.take(index, round);
    return image && { ...image, pixels: await preprocessed(runner, pixels, image.pixels) };
  };
  const supply = supplyOf(load, { ...layout, size: side }, batch);
  onPhase?.("whitening");
  // The blocks of a crop are too much alike.
  const sample = options.crops
    ? (await gaussianize(runner, stage, values)).y
    : await firstSamples(supply, batch, enough);
  const whitening = zcaWhitening(sample, n);
  // Only then has each had its turn, and the number is the same whenever somebody asks.
  const isAll = (window ?? training.length) >= training.length;
  const validation = await validationSamples(runner, stage, heldOut, options);
  return {
    preprocessing: stage,
    whitening,
    batchAt: (step) => supply.batchAt(step),
    energyPerDimension: energyOf(sample),
    validation,
    trainingImages: training.length - (isAll ? images.unusable : 0),
    highest: rangeOf(values).highest,
    heldOutImages: validation?.images ?? 0,
  };
}

/** Images that were decoded for the preprocessing need not be decoded again for the fit. */
class FirstLoads {
  private readonly kept = new Map<number, Promise<GreyImage | undefined>>();
  unusable = 0;

  constructor(private readonly load: LoadImage) {}

  readonly keep: LoadImage = (index, round) => {
    const image = this.load(index, round).then((loaded) => {
      if (!loaded) this.unusable++;
      return loaded;
    });
    if (round === 0) this.kept.set(index, image);
    return image;
  };

  readonly take: LoadImage = (index, round) => {
    const image = round === 0 ? this.kept.get(index) : undefined;
    if (round === 0) this.kept.delete(index);
    return image ?? this.load(index, round);
  };
}

/** What subtracts the mean of a patch subtracts a shift, too. */
function withoutShift(stage: Affine): Affine {
  return { ...stage, shift: new Float32Array(stage.shift.length) };
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
  const { y } = await gaussianize(runner, { ...stage, dimension }, values);
  return y instanceof Float32Array ? y : Float32Array.from(y);
}

async function firstSamples(
  supply: PatchSupply,
  batch: number,
  count: number,
): Promise<Float32Array> {
  const batches: Float32Array[] = [];
  for (let step = 0; step * batch < count; step++) batches.push(await supply.batchAt(step));
  return joined(batches);
}

/** Arrays of one length, one after the other. */
function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.length * parts[0].length);
  parts.forEach((values, k) => {
    all.set(values, k * values.length);
  });
  return all;
}

async function validationSamples(
  runner: TaskRunner,
  stage: Pointwise | Affine,
  heldOut: Uint32Array,
  options: PreparationOptions,
): Promise<ValidationSamples | null> {
  const { layout } = options.reading;
  const parts = await heldOutPatches(heldOut, options);
  if (parts.length === 0) return null;
  const samples = patchesToSamples(joined(parts), layout);
  const { y, logDeterminant } = await gaussianize(runner, stage, samples);
  const sum = logDeterminant.reduce((total, value) => total + value, 0);
  return {
    x: y,
    logDeterminant: sum / logDeterminant.length,
    energyPerDimension: energyOf(y),
    images: parts.length,
  };
}

/** As many from each image, of which one at a time is in memory. */
async function heldOutPatches(
  heldOut: Uint32Array,
  { load, reading: { layout }, crops, seed, signal }: PreparationOptions,
): Promise<Float32Array[]> {
  const { side, validation } = crops ?? { side: layout.size, validation: validationPatches };
  const count = Math.ceil(validation / Math.max(1, heldOut.length));
  const parts: Float32Array[] = [];
  for (const index of heldOut) {
    if (signal?.aborted) throw abortError(signal);
    const image = await load(index, 0);
    if (!image) continue;
    parts.push(randomPatches(createRandom(seed, "validation", index), [image], side, count));
  }
  return parts;
}

function energyOf(samples: FloatArray): number {
  let squares = 0;
  for (const value of samples) squares += value * value;
  return squares / samples.length / 2;
}
