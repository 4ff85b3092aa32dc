/**
 * A density: a model with methods that are the same for all kinds of models. Models of patches take
 * and return samples of numbers, models of whole images take and return grey images. The type of
 * the result follows from the type of the input; input of the other kind is an error.
 */
import type { GreyPixels } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Seed } from "../random/random-stream.js";
import type { Field, GridSize } from "../transforms/field.js";
import type { BatchOptions } from "./batch-passes.js";
import type { GaussianizedImage } from "./images/image-density.js";
import type { Gaussianized } from "./induced-density.js";
import type { MixtureVerification } from "./mixtures/verify-mixture.js";
import type { AnyModel } from "./model-files/model.js";
import type { SynthesisOptions, Synthesized } from "./synthesis.js";
import type { ImageVerification } from "./verification/verify-image-cascade.js";
import type { Verification } from "./verification/verify.js";

/** Samples of N values each, in one array or in rows. */
export type Samples = FloatArray | readonly (FloatArray | readonly number[])[];

/** Images of any sizes. */
export type Images = readonly GreyPixels[];

/** The image x of a field y, as {@link Density.synthesize} returns it. */
export interface SynthesizedWhole {
  readonly x: GreyPixels;
  /** Number of locations, over all stages, without an inverse; if any, x is not the image of y. */
  readonly unconverged: number;
  /** Largest residual of any location and stage; convolutions count as 0. */
  readonly residual: number;
}

export interface DensitySampleOptions extends BatchOptions {
  /** The same seed gives the same samples; default 1. */
  readonly seed?: Seed;
  /** Factor of the normal vectors, default 1. */
  readonly temperature?: number;
  /** Width and height in pixels, multiples of the stride; for models of whole images. */
  readonly size?: GridSize;
}

export interface DensityVerifyOptions extends BatchOptions {
  /** Size of the field to check convolutions on if no image is given; for whole images. */
  readonly grid?: GridSize;
  /** Most locations of an image to check, default 1000; for whole images. */
  readonly locations?: number;
}

export interface Density {
  /** The plain record, as in files. */
  readonly model: AnyModel;
  /** Kind of samples: patches or any vectors of numbers, or whole images of any size. */
  readonly kind: "patches" | "images";
  /** N, the number of values of a sample; for whole images of a location, stride². */
  readonly dimension: number;
  /** Returns the runner that computes, and opens it at the first call. */
  readonly runner: () => Promise<TaskRunner>;

  /** Returns log p(x) of each sample or image, in nats. */
  logProb(x: Samples | Images, options?: BatchOptions): Promise<Float64Array>;
  logProb(x: GreyPixels, options?: BatchOptions): Promise<number>;

  /** Returns ∇ log p(x), with as many values as x. */
  score(x: Samples, options?: BatchOptions): Promise<FloatArray>;
  score(x: GreyPixels, options?: BatchOptions): Promise<GreyPixels>;
  score(x: Images, options?: BatchOptions): Promise<GreyPixels[]>;

  /**
   * Returns the probability of each component of a mixture, given each sample: count × leaves.
   * Nested mixtures are resolved, depth first; a symmetric mixture lists all components in the
   * first of its eight poses, then all in the second, and so on. Rejects other models.
   */
  responsibilities(x: Samples, options?: BatchOptions): Promise<Float64Array>;

  /**
   * Returns y = g(x; θ), which is normal if the model fits x, and log |det ∂y/∂x|. Rejects
   * mixtures.
   */
  gaussianize(x: Samples, options?: BatchOptions): Promise<Gaussianized>;
  gaussianize(x: GreyPixels, options?: BatchOptions): Promise<GaussianizedImage>;
  gaussianize(x: Images, options?: BatchOptions): Promise<GaussianizedImage[]>;

  /**
   * Returns x with g(x; θ) = y. It does not throw if there is none: check for convergence. Rejects
   * mixtures.
   */
  synthesize(y: Samples, options?: SynthesisOptions): Promise<Synthesized>;
  synthesize(y: Field, options?: SynthesisOptions): Promise<SynthesizedWhole>;
  synthesize(y: readonly Field[], options?: SynthesisOptions): Promise<SynthesizedWhole[]>;

  /** Draws `count` independent samples: count×N values, or images of the given size. */
  sample(count: number, options: SampleImagesOptions): Promise<GreyPixels[]>;
  sample(count: number, options?: SampleRowsOptions): Promise<FloatArray>;
  sample(count: number, options?: DensitySampleOptions): Promise<FloatArray | GreyPixels[]>;

  /** Reports what is proven about the invertibility of the model, and what was observed on x. */
  verify(x: Samples, options?: DensityVerifyOptions): Promise<Verification>;
  verify(x: GreyPixels, options?: DensityVerifyOptions): Promise<ImageVerification>;
  verify(x?: Samples | GreyPixels | null, options?: DensityVerifyOptions): Promise<AnyVerification>;
}

export type AnyVerification = Verification | MixtureVerification | ImageVerification;

type SampleRowsOptions = DensitySampleOptions & { readonly size?: never };
type SampleImagesOptions = DensitySampleOptions & { readonly size: GridSize };
