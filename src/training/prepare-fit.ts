/** All that comes before the first step of a fit to images: the preprocessing, the whitening, and samples to validate with. */
import { gaussianize } from "../density/induced-density.js";
import type { GreyImage } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError } from "../parallel/abort-error.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import { patchDimension, patchesToSamples } from "../patches/patch-layout.js";
import { PatchSupply } from "../patches/patch-supply.js";
import { randomPatches } from "../patches/random-patches.js";
import { rangeOf } from "../preprocessing/value-range.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { Affine } from "../transforms/affine.js";
import { type GdnStart, startingGdn } from "../transforms/gdn-start.js";
import type { Gdn } from "../transforms/gdn.js";
import type { Pointwise } from "../transforms/pointwise.js";
import { zcaWhitening } from "../transforms/whitening.js";
import { type PreprocessingKind, fitPreprocessing, inDimension } from "./fit-preprocessing.js";

export type PreparationPhase = "images" | "preprocessing" | "whitening";

/** What decides on the layer, but for the filters. */
export type ModelStart = Omit<GdnStart, "dimension" | "H">;

export interface PreparationOptions {
  /** Number of images, and how to get one. */
  readonly images: number;
  readonly load: LoadImage;
  readonly reading: ImageReading;
  readonly preprocessing: PreprocessingKind;
  readonly start: ModelStart;
  readonly batch: number;
  readonly seed: Seed;
  /** Of the images, those that are not fitted to. */
  readonly heldOut: number;
  readonly window?: number;
  readonly signal?: AbortSignal;
  readonly onPhase?: (phase: PreparationPhase) => void;
}

export interface PreparedFit {
  /** The first stage of the model, fitted. */
  readonly preprocessing: Pointwise | Affine;
  readonly start: Gdn;
  readonly whitening: FloatArray;
  /** Preprocessed samples of a step. */
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
  /** count×N, preprocessed. */
  readonly x: FloatArray;
  /** Mean of log |det| of the preprocessing over them. */
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
  const { training, heldOut } = splitImages(options);
  const images = new FirstLoads((index, round) =>
    signal?.aborted ? Promise.reject(abortError(signal)) : options.load(training[index], round),
  );
  const supplyOf = (load: LoadImage, size: number): PatchSupply =>
    new PatchSupply({
      images: training.length,
      load,
      layout,
      batch: size,
      seed,
      ...(window === undefined ? {} : { window }),
    });
  onPhase?.("images");
  const raw = supplyOf(images.keep, Math.ceil(pixelsForCurve / n));
  const values = await raw.batchAt(0);
  onPhase?.("preprocessing");
  const curve = await fitPreprocessing(runner, values, {
    kind: options.preprocessing,
    seed,
    ...(signal ? { signal } : {}),
  });
  const pixels = curve.kind === "affine" && layout.removeMean ? withoutShift(curve) : curve;
  const stage = inDimension(pixels, n);
  const supply = supplyOf(async (index, round) => {
    const image = await images.take(index, round);
    return image && { ...image, pixels: await preprocessed(runner, pixels, image.pixels) };
  }, batch);
  onPhase?.("whitening");
  const sample = await firstSamples(supply, batch, Math.max(leastSamples, samplesPerDimension * n));
  const whitening = zcaWhitening(sample, n);
  // Only then has each had its turn, and the number is the same whenever somebody asks.
  const isAll = (window ?? training.length) >= training.length;
  const validation = await validationSamples(runner, stage, heldOut, options);
  return {
    preprocessing: stage,
    start: startingGdn({ ...options.start, dimension: n, H: whitening }),
    whitening,
    batchAt: (step) => supply.batchAt(step),
    energyPerDimension: energyOf(sample),
    validation,
    trainingImages: training.length - (isAll ? images.unusable : 0),
    highest: rangeOf(values).highest,
    heldOutImages: validation?.images ?? 0,
  };
}

/** Which images are fitted to and which are not, of all of them in their order. */
function splitImages({ images, heldOut, seed }: PreparationOptions): {
  readonly training: Uint32Array;
  readonly heldOut: Uint32Array;
} {
  const order = createRandom(seed, "held out").permutation(images);
  return { heldOut: order.slice(0, heldOut).sort(), training: order.slice(heldOut).sort() };
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
  { load, reading: { layout }, seed, signal }: PreparationOptions,
): Promise<Float32Array[]> {
  const count = Math.ceil(validationPatches / Math.max(1, heldOut.length));
  const parts: Float32Array[] = [];
  for (const index of heldOut) {
    if (signal?.aborted) throw abortError(signal);
    const image = await load(index, 0);
    if (!image) continue;
    parts.push(randomPatches(createRandom(seed, "validation", index), [image], layout.size, count));
  }
  return parts;
}

function energyOf(samples: FloatArray): number {
  let squares = 0;
  for (const value of samples) squares += value * value;
  return squares / samples.length / 2;
}
