/** Options and results of an evaluation, common to patches and whole images. */
import type { AnyModel } from "../density/model-files/model.js";
import { expected } from "../errors.js";
import type { Seed } from "../random/random-stream.js";

export interface EvaluationOptions {
  /**
   * Number of patches at random places, the same number from each image; default 100,000. Models of
   * whole images ignore this and `grid`, and evaluate each image once.
   */
  readonly patches?: number;
  /** Distance in pixels of a grid: evaluates all patches on it, instead of random ones. */
  readonly grid?: number;
  /** Seed of the random places, default 1. */
  readonly seed?: Seed;
  /** Patches in memory, default 16,384; does not change the results. */
  readonly patchesAtOnce?: number;
  /** Receives log p of every patch, in batches from one image; or of every whole image. */
  readonly onScores?: (scores: Scores) => void;
  /**
   * Returns the sizes in bytes of the part of an image that a model of whole images evaluated, in
   * lossless file formats, by their names. Default: no sizes.
   */
  readonly fileSizesOf?: (image: GreyCodes) => Promise<FileSizes>;
  readonly signal?: AbortSignal;
  /** Receives the number of patches or whole images evaluated so far. */
  readonly onProgress?: (done: number) => void;
}

/** A grey picture of 8-bit codes. */
export interface GreyCodes {
  readonly width: number;
  readonly height: number;
  readonly codes: Uint8Array;
}

/** Sizes of files by the names of their formats, in bytes or in bits per pixel. */
export type FileSizes = Readonly<Record<string, number>>;

/** log p of patches of one image, in the order in which they are evaluated; or of a whole image. */
export interface Scores {
  /** Index of the image. */
  readonly index: number;
  /** Column and row of the top left pixel of each patch. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** Size of each patch in pixels. */
  readonly width: number;
  readonly height: number;
  /** log p in nats; NaN for a patch without a density. */
  readonly logProb: Float64Array;
}

/**
 * Log-likelihood of samples under a model: patches of N dimensions, or whole images of N pixels.
 * Means skip samples without a density, and are NaN if no sample has one.
 */
export interface Likelihood {
  /** Number of samples evaluated. */
  readonly samples: number;
  /**
   * Number of samples without a density: a pivot is not positive, or a value is outside the domain
   * of a stage.
   */
  readonly failedSamples: number;
  /** Mean of log p(x), in nats per patch or whole image. */
  readonly meanLogLikelihood: number;
  /** meanLogLikelihood / N. */
  readonly natsPerDimension: number;
  /**
   * meanLogLikelihood / (N ln 2): the log-likelihood rate of values from 0 to 1, as in Theis &
   * Bethge 2015, table 1. Higher is better.
   */
  readonly bitsPerPixel: number;
  /**
   * −(mean of log p(x) + Σ log code width) / (N ln 2): the code length of a lossless coder. Lower
   * is better. Null if the model was fitted without dequantisation noise, or a picture has no
   * codes.
   */
  readonly codeLengthInBitsPerPixel: number | null;
  /** ΔJ/N, paper eq. (4), relative to the preprocessed data; in nats. */
  readonly negentropyDifferencePerDimension: number;
}

export interface ImageEvaluation extends Likelihood {
  readonly index: number;
  /** The part of the image that a model of whole images evaluated; null for patches. */
  readonly part: ImagePart | null;
  /** The reason why a whole image has no density; null if it has one. */
  readonly failure: string | null;
  /** Bits per pixel of lossless files with the same codes; null for patches and without codes. */
  readonly fileBitsPerPixel: FileSizes | null;
}

/** Column and row of the top left pixel of a part of an image, and its size. */
export interface ImagePart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Results over all images. */
export interface Totals extends Likelihood {
  /** Number of values in all samples with a density: the means are over these. */
  readonly values: number;
  /** Standard errors of the means; NaN for a single patch or a single whole image. */
  readonly standardErrors: Omit<Likelihood, "samples" | "failedSamples">;
  /**
   * The units taken as independent: images, since the patches of one image resemble each other; the
   * patches themselves if there is only one image.
   */
  readonly standardErrorsOver: "images" | "patches";
  /** Bits per pixel of the files of all images with a density; null unless each one has files. */
  readonly fileBitsPerPixel: FileSizes | null;
}

export interface Evaluation extends Totals {
  /** The kind of the samples. */
  readonly kind: "patches" | "images";
  /** N: pixels of a patch, one less without its mean; for whole images, pixels of a block. */
  readonly dimension: number;
  /** Whether the model was fitted to codes with uniform noise, or to the values themselves. */
  readonly dequantization: "uniform" | "none";
  /** Number of preprocessing stages, which ΔJ does not include. */
  readonly preprocessingStages: number;
  /** The images that were evaluated, in their order. */
  readonly images: readonly ImageEvaluation[];
}

/** Means (or standard errors) per sample in nats → the rates of {@link Likelihood}. */
export function ratesOf(
  dimension: number,
  nats: {
    readonly logProb: number;
    readonly negentropyDifference: number;
    readonly codeLength: number | null;
  },
): Totals["standardErrors"] {
  const bits = dimension * Math.LN2;
  return {
    meanLogLikelihood: nats.logProb,
    natsPerDimension: nats.logProb / dimension,
    bitsPerPixel: nats.logProb / bits,
    codeLengthInBitsPerPixel: nats.codeLength === null ? null : nats.codeLength / bits,
    negentropyDifferencePerDimension: nats.negentropyDifference / dimension,
  };
}

/** Number of stages that a model file declares as preprocessing, checked to be at most `most`. */
export function preprocessingStagesOf({ about }: AnyModel, most: number): number {
  const count = about.preprocessing?.stages ?? 0;
  if (count <= most) return count;
  throw expected("about.preprocessing.stages", `be at most ${most}, all of the cascade`, count);
}
