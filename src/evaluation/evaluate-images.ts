/** How likely images are under a model: patches of one image after the other, while the next one is decoded. */
import { checkRunner } from "../density/batch-passes.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { GaussianizeError, expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { type PatchLayout, patchDimension, patchesToSamples } from "../patches/patch-layout.js";
import { requireRoom } from "../patches/random-patches.js";
import { type Purpose, type Seed, createRandom } from "../random/random-stream.js";
import { checkFields } from "../transforms/checks.js";
import {
  type EvaluationImage,
  type ImageInTurn,
  type ImageSource,
  imagesInTurn,
} from "./images-in-turn.js";
import { gridCorners, patchChunks, randomCorners } from "./patch-chunks.js";
import { hasCodes, logWidthsOf } from "./patch-code-widths.js";
import { PatchScorer } from "./patch-scores.js";
import {
  type Likelihood,
  PatchTally,
  standardErrorOf,
  standardErrorOfMeans,
} from "./patch-tally.js";

export interface EvaluationOptions extends ImageSource {
  /** Patches at random places, shared out equally over the images; default 100,000. */
  readonly patches?: number;
  /** Instead of random ones all patches on a grid, so many pixels apart. */
  readonly grid?: number;
  /** Of the random places, default 1. */
  readonly seed?: Seed;
  /**
   * What the places in an image are drawn by, beside the seed; default its index. By the names of the files an image gets the same
   * ones whatever other images there are.
   */
  readonly nameOf?: (index: number) => Purpose;
  /** Patches in memory, default 16,384; does not change the results. */
  readonly patchesAtOnce?: number;
  /** Gets log p of every patch, some patches of one image at a time. */
  readonly onScores?: (scores: ScoredPatches) => void;
  /** Patches that are done. */
  readonly onProgress?: (done: number) => void;
}

/** Patches of one image, in the order in which they are evaluated. */
export interface ScoredPatches {
  /** Index of the image. */
  readonly index: number;
  /** Column and row of the top left pixel of each patch. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** log p of each patch, in nats; NaN where it has no density. */
  readonly logProb: Float64Array;
}

export interface ImageEvaluation extends Likelihood {
  readonly index: number;
}

export interface Evaluation extends Likelihood {
  /** N: pixels of a patch, one less where it lost its mean. */
  readonly dimension: number;
  /** What the model was fitted to: codes spread by uniform noise, or values as they are. */
  readonly dequantization: "uniform" | "none";
  /** How many stages of the model ΔJ does not count: 0 means from the pixels on. */
  readonly preprocessingStages: number;
  /** NaN where there is but one patch. */
  readonly standardErrors: {
    readonly meanLogLikelihood: number;
    readonly bitsPerPixel: number;
    /** Null where there is no code length. */
    readonly codeLengthInBitsPerPixel: number | null;
    readonly negentropyDifferencePerDimension: number;
  };
  /** What was taken as independent: images, since the patches of one are alike; but its patches where there is only one. */
  readonly standardErrorsOver: "images" | "patches";
  /** Those that gave patches, in their order. */
  readonly images: readonly ImageEvaluation[];
}

const optionFields: readonly (keyof EvaluationOptions)[] = [
  "images",
  "load",
  "patches",
  "grid",
  "seed",
  "nameOf",
  "patchesAtOnce",
  "onScores",
  "signal",
  "onProgress",
];

/**
 * Log-likelihood and ΔJ of patches of images, read as the model says in `about.patch`. The same bits for any number of workers.
 *
 * @throws GaussianizeError where the model is not one of square patches, or no image can be used
 */
export async function evaluateImages(
  runner: TaskRunner,
  model: Model,
  options: EvaluationOptions,
): Promise<Evaluation> {
  checkRunner(runner);
  checkOptions(options);
  const reading = requireReading(model);
  const scorer = new PatchScorer(runner, model);
  const shareOf = sharesOfImages(options);
  const found: { readonly index: number; readonly tally: PatchTally }[] = [];
  let done = 0;
  const isWanted = (index: number): boolean => shareOf(index) > 0;
  for await (const turn of imagesInTurn(options, isWanted)) {
    const { index, image } = turn;
    const corners = cornersOf(image, index, reading.layout, shareOf(index), options);
    const tally = await tallyOf(scorer, turn, corners, reading, options, done);
    found.push({ index, tally });
    done += tally.patches;
  }
  if (found.length === 0) {
    throw new GaussianizeError(`None of the ${options.images} images can be used.`);
  }
  const tallies = found.map(({ tally }) => tally);
  const dimension = patchDimension(reading.layout);
  return {
    dimension,
    dequantization: reading.dequantize ? "uniform" : "none",
    preprocessingStages: scorer.preprocessingStages,
    ...PatchTally.total(tallies),
    ...errorsOf(tallies, dimension),
    images: found.map(({ index, tally }) => ({ index, ...tally.likelihood() })),
  };
}

function checkOptions(options: EvaluationOptions): void {
  checkFields("the options", options, optionFields);
  const { images, patches = 1, grid = 1, patchesAtOnce = 1 } = options;
  for (const [name, value] of Object.entries({ images, patches, grid, patchesAtOnce })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw expected(name, "be a positive integer", value);
    }
  }
  if (options.patches !== undefined && options.grid !== undefined) {
    throw expected("patches", "be left out where there is a grid", options.patches);
  }
}

/** How many random patches an image gives: equally many, up to one more in some that are drawn by lot. */
function sharesOfImages({
  images,
  patches = 100_000,
  grid,
  seed = 1,
}: EvaluationOptions): (index: number) => number {
  if (grid !== undefined) return () => Infinity;
  const order = createRandom(seed, "evaluate").permutation(images);
  const withOneMore = new Set(order.subarray(0, patches % images));
  return (index) => Math.floor(patches / images) + (withOneMore.has(index) ? 1 : 0);
}

function cornersOf(
  image: EvaluationImage,
  index: number,
  { size }: PatchLayout,
  share: number,
  { grid, seed = 1, nameOf = (k) => k }: EvaluationOptions,
): Iterable<number> {
  requireRoom(image, `image ${index}`, size);
  if (grid !== undefined) return gridCorners(image, size, grid);
  return randomCorners(createRandom(seed, "evaluate", nameOf(index)), image, size, share);
}

/** The patches of one image; `before` is how many there were of others. */
async function tallyOf(
  scorer: PatchScorer,
  { index, image }: ImageInTurn,
  corners: Iterable<number>,
  reading: ImageReading,
  { patchesAtOnce = 16_384, signal, onScores, onProgress }: EvaluationOptions,
  before: number,
): Promise<PatchTally> {
  const { layout } = reading;
  const tally = new PatchTally(patchDimension(layout), hasCodes(image, reading));
  for (const chunk of patchChunks(image, layout.size, corners, patchesAtOnce)) {
    const scores = await scorer.score(patchesToSamples(chunk.patches, layout), {
      ...(signal ? { signal } : {}),
      onProgress: (done) => onProgress?.(before + tally.patches + done),
    });
    tally.add(scores, logWidthsOf(chunk.patches, image, reading));
    onScores?.({
      index,
      x: Int32Array.from(chunk.corners, (corner) => corner % image.width),
      y: Int32Array.from(chunk.corners, (corner) => Math.floor(corner / image.width)),
      logProb: scores.logProb,
    });
  }
  return tally;
}

function errorsOf(
  tallies: readonly PatchTally[],
  dimension: number,
): Pick<Evaluation, "standardErrors" | "standardErrorsOver"> {
  const used = tallies.filter(({ count }) => count > 0);
  const overImages = used.length > 1;
  const weights = used.map(({ count }) => count);
  const bits = dimension * Math.LN2;
  const errorOf = (of: "logProb" | "codeLogProb" | "negentropyDifference"): number =>
    overImages
      ? standardErrorOfMeans(
          used.map((tally) => tally[of].mean),
          weights,
        )
      : standardErrorOf((used.length > 0 ? used : tallies)[0][of]);
  const hasCodes = tallies.every((tally) => tally.hasCodes);
  return {
    standardErrors: {
      meanLogLikelihood: errorOf("logProb"),
      bitsPerPixel: errorOf("logProb") / bits,
      codeLengthInBitsPerPixel: hasCodes ? errorOf("codeLogProb") / bits : null,
      negentropyDifferencePerDimension: errorOf("negentropyDifference") / dimension,
    },
    standardErrorsOver: overImages ? "images" : "patches",
  };
}
