/** What an evaluation is asked for, and what it tells: the same for patches and whole images. */
import type { Seed } from "../random/random-stream.js";

export interface EvaluationOptions {
  /**
   * Patches at random places, shared out equally over the images; default 100,000. Models of whole
   * images take each image once, whatever this and `grid` say.
   */
  readonly patches?: number;
  /** Instead of random ones all patches on a grid, so many pixels apart. */
  readonly grid?: number;
  /** Of the random places, default 1. */
  readonly seed?: Seed;
  /** Patches in memory, default 16,384; does not change the results. */
  readonly patchesAtOnce?: number;
  /** Gets log p of every patch, some patches of one image at a time; or of every whole image. */
  readonly onScores?: (scores: Scores) => void;
  readonly signal?: AbortSignal;
  /** Patches, or whole images, that are done. */
  readonly onProgress?: (done: number) => void;
}

/** log p of patches of one image, in the order in which they are evaluated; or of a whole image. */
export interface Scores {
  /** Index of the image. */
  readonly index: number;
  /** Column and row of the top left pixel of each. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** Of each, in pixels. */
  readonly width: number;
  readonly height: number;
  /** In nats; NaN where there is no density. */
  readonly logProb: Float64Array;
}

/**
 * How likely samples are under a model: patches of N dimensions, or whole images of N pixels. Means
 * leave out samples without a density; NaN where no others are left.
 */
export interface Likelihood {
  /** All that were looked at. */
  readonly samples: number;
  /**
   * Those without a density: a pivot is not positive, or a value lies outside of the domain of a
   * stage.
   */
  readonly failedSamples: number;
  /** Mean of log p(x), in nats for a patch or a whole image. */
  readonly meanLogLikelihood: number;
  /** The same by N … */
  readonly natsPerDimension: number;
  /**
   * … and by N ln 2: the log-likelihood rate of values from 0 to 1, as in Theis & Bethge 2015,
   * table 1. Higher is better.
   */
  readonly bitsPerPixel: number;
  /**
   * −(mean of log p(x) + Σ log code width) / (N ln 2): what a lossless coder of the codes would
   * need. Lower is better. Null where the model is not one of codes that are spread evenly over
   * their intervals, or a picture has no codes.
   */
  readonly codeLengthInBitsPerPixel: number | null;
  /** ΔJ/N, paper eq. (4), counted from the preprocessed data; in nats. */
  readonly negentropyDifferencePerDimension: number;
}

export interface ImageEvaluation extends Likelihood {
  readonly index: number;
  /** The part that a model of whole images gets; null where patches were cut. */
  readonly part: ImagePart | null;
  /** Why a whole image has no density; null where it has one. */
  readonly failure: string | null;
}

/** Column and row where a part of an image begins, and its size. */
export interface ImagePart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Over all images. */
export interface Totals extends Likelihood {
  /** Those of all samples with a density: what the means are over. */
  readonly values: number;
  /** NaN where there is but one patch, or one whole image. */
  readonly standardErrors: {
    readonly meanLogLikelihood: number;
    readonly natsPerDimension: number;
    readonly bitsPerPixel: number;
    /** Null where there is no code length. */
    readonly codeLengthInBitsPerPixel: number | null;
    readonly negentropyDifferencePerDimension: number;
  };
  /**
   * What was taken as independent: images, since the patches of one are alike; but its patches
   * where there is only one.
   */
  readonly standardErrorsOver: "images" | "patches";
}

export interface Evaluation extends Totals {
  /** What the samples are. */
  readonly kind: "patches" | "images";
  /** N: pixels of a patch, one less where it lost its mean; of whole images, of a block. */
  readonly dimension: number;
  /** What the model was fitted to: codes spread by uniform noise, or values as they are. */
  readonly dequantization: "uniform" | "none";
  /** How many stages of the model ΔJ does not count: 0 means from the pixels on. */
  readonly preprocessingStages: number;
  /** Those that were used, in their order. */
  readonly images: readonly ImageEvaluation[];
}
