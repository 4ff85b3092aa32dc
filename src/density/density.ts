/**
 * A density to compute with: a model and the same verbs whatever it is a model of. What a verb
 * takes and returns follows from the model: samples of numbers for patches, grey images for whole
 * images. The type of the answer follows from that of the question; a question of the other kind is
 * an error.
 */
import type { GreyPixels } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Seed } from "../random/random-stream.js";
import type { Field, GridSize } from "../transforms/field.js";
import type { BatchOptions } from "./batch-passes.js";
import type { GaussianizedImage } from "./images/image-density.js";
import type { Gaussianized } from "./induced-density.js";
import type { AnyModel } from "./model-files/model.js";
import type { SynthesisOptions, Synthesized } from "./synthesis.js";
import type { ImageVerification } from "./verification/verify-image-cascade.js";
import type { Verification } from "./verification/verify.js";

/** Samples of N values each: one after the other in one array, or a row for each. */
export type Samples = FloatArray | readonly (FloatArray | readonly number[])[];

/** Several images of any sizes, in their order. */
export type Images = readonly GreyPixels[];

/** The image x of a field y, as {@link Density.synthesize} finds it. */
export interface SynthesizedWhole {
  readonly x: GreyPixels;
  /** Locations, over all stages, whose inverse was not found: with any, x is not the image of y. */
  readonly unconverged: number;
  /** The largest of any location and stage; convolutions count as 0. */
  readonly residual: number;
}

export interface DensitySampleOptions extends BatchOptions {
  /** The same seed gives the same samples; default 1. */
  readonly seed?: Seed;
  /** Scales the normal vectors, default 1; for models of patches. */
  readonly temperature?: number;
  /** Width and height in pixels, multiples of the stride; for models of whole images. */
  readonly size?: GridSize;
}

export interface DensityVerifyOptions extends BatchOptions {
  /** Locations on which convolutions are looked at without an image; for whole images. */
  readonly grid?: GridSize;
  /** Most locations of an image that are looked at, default 1000; for whole images. */
  readonly locations?: number;
}

export interface Density {
  /** The plain record: what files hold, and what crosses to workers. */
  readonly model: AnyModel;
  /** What a sample is: a patch, or any vector of numbers; or a whole image of any size. */
  readonly kind: "patches" | "images";
  /** N, the values of a sample; of whole images those of a location, stride². */
  readonly dimension: number;
  /** Opens the runner that computes, where it is not open yet. */
  readonly runner: () => Promise<TaskRunner>;

  /** log p(x) of each sample or image, in nats. */
  logProb(x: Samples | Images, options?: BatchOptions): Promise<Float64Array>;
  logProb(x: GreyPixels, options?: BatchOptions): Promise<number>;

  /** ∇ log p(x), as many values as x has. */
  score(x: Samples, options?: BatchOptions): Promise<FloatArray>;
  score(x: GreyPixels, options?: BatchOptions): Promise<GreyPixels>;
  score(x: Images, options?: BatchOptions): Promise<GreyPixels[]>;

  /** y = g(x; θ), normal where x is as the model says, with log |det ∂y/∂x|. */
  gaussianize(x: Samples, options?: BatchOptions): Promise<Gaussianized>;
  gaussianize(x: GreyPixels, options?: BatchOptions): Promise<GaussianizedImage>;
  gaussianize(x: Images, options?: BatchOptions): Promise<GaussianizedImage[]>;

  /** x with g(x; θ) = y. Nothing is thrown for a y without one: look at what converged. */
  synthesize(y: Samples, options?: SynthesisOptions): Promise<Synthesized>;
  synthesize(y: Field, options?: SynthesisOptions): Promise<SynthesizedWhole>;
  synthesize(y: readonly Field[], options?: SynthesisOptions): Promise<SynthesizedWhole[]>;

  /** `count` independent draws: count×N values, or images of the given size. */
  sample(count: number, options: SampleImagesOptions): Promise<GreyPixels[]>;
  sample(count: number, options?: SampleRowsOptions): Promise<FloatArray>;
  sample(count: number, options?: DensitySampleOptions): Promise<FloatArray | GreyPixels[]>;

  /**
   * What is proven about the invertibility of the model; with x also what was observed on it.
   */
  verify(x: Samples, options?: DensityVerifyOptions): Promise<Verification>;
  verify(x: GreyPixels, options?: DensityVerifyOptions): Promise<ImageVerification>;
  verify(x?: Samples | GreyPixels | null, options?: DensityVerifyOptions): Promise<AnyVerification>;
}

export type AnyVerification = Verification | ImageVerification;

type SampleRowsOptions = DensitySampleOptions & { readonly size?: never };
type SampleImagesOptions = DensitySampleOptions & { readonly size: GridSize };
