/** The records of a fit to images: what it is told, what it fits, and what comes out. */
import type { AnyModel, ModelAbout } from "../density/model-files/model.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Ranks } from "../parallel/ranks.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import type { Seed } from "../random/random-stream.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { FitDefaults } from "./fit-defaults.js";
import type { LayerFitOptions } from "./fit-layers.js";
import type { OptionsExceptFor } from "./fit-options.js";
import type { FitProblem } from "./fit-problem.js";
import type { Fit, FitCheckpoint } from "./fit-records.js";
import type { CropOptions } from "./held-out-samples.js";
import type { BoundOptions } from "./parameter-bounds.js";
import type { PreparationPhase, PreparedFit } from "./prepare-fit.js";
import type { Measure } from "./validation.js";

/** Options of fits of patches and of whole images alike. */
type SharedOptions = Omit<OptionsExceptFor<"patches" | "cascades">, "seed">;

/**
 * What all fits to images are told; T is what is fitted, M the model that comes out. Defaults are
 * those of the command (fit-options.ts).
 */
export interface CommonFitOptions<T extends AnyTransform, M extends AnyModel = AnyModel>
  extends SharedOptions, FitSurroundings<T, M> {}

/** What a fit is told beside its options: images, whom to tell, and where it stood. */
interface FitSurroundings<T extends AnyTransform, M extends AnyModel> {
  /** Number of images, and how to get one (as a PatchSupply wants it). */
  readonly images: number;
  readonly load: LoadImage;
  /**
   * Steps at which the fit once ended, and was extended from; default none. The rate rises and
   * falls again after each of them (fit-layers.ts). The same restarts give the same bits.
   */
  readonly restarts?: readonly number[];
  /**
   * Model of the fit before it was extended: a result that is worse than it fails. Default: the
   * start of the fit is compared.
   */
  readonly finished?: AnyModel;
  readonly seed?: Seed | undefined;
  /** What a model is to say of where its images come from; left out: nothing. */
  readonly origin?: FitOrigin;
  /** Images in memory at once, default all. */
  readonly window?: number;
  /**
   * Where images begin that are best read one after the other (`ImageSet.readingPlan`); default
   * each is read by itself.
   */
  readonly runs?: Uint32Array;
  readonly signal?: AbortSignal;
  /** Ends the fit at once, whatever it waits for, with a last checkpoint of the last sound step. */
  readonly abandonment?: AbortSignal;
  /**
   * Processes that make the fit together, each with these same options: the model is the same, bit
   * for bit, for any number of them.
   */
  readonly ranks?: Ranks;
  readonly onPhase?: (phase: PreparationPhase | "fit") => void;
  readonly onStep?: (progress: FitProgress) => void;
  readonly onValidation?: (progress: FitProgress) => void;
  readonly checkpointEvery?: number;
  /** And whenever so many seconds have passed since the last one; default Infinity. */
  readonly checkpointSeconds?: number;
  /**
   * `model` makes what would come out if the fit ended there: to look at, or to keep when it is
   * stopped.
   */
  readonly onCheckpoint?: (checkpoint: FitCheckpoint<T>, model: () => M) => void | Promise<void>;
  /** Given the start, where an interrupted fit with the same options stood; null: at the start. */
  readonly resume?: (start: T) => FitCheckpoint<T> | null | Promise<FitCheckpoint<T> | null>;
}

export const surroundingFields = [
  "images",
  "load",
  "restarts",
  "finished",
  "seed",
  "origin",
  "window",
  "runs",
  "signal",
  "abandonment",
  "ranks",
  "onPhase",
  "onStep",
  "onValidation",
  "checkpointEvery",
  "checkpointSeconds",
  "onCheckpoint",
  "resume",
] as const;

/** Where the images of a fit come from, as those know who opened them. */
export interface FitOrigin {
  /** The fingerprint of the set. */
  readonly hash: string;
  /** How many were given, those included that cannot be used. */
  readonly images: number;
  /** Of the literature, by its name. */
  readonly protocol?: string | null;
  /** Whether saturated ones were left out. */
  readonly removeSaturated?: boolean;
}

export interface FitProgress {
  readonly step: number;
  /** Mean of log p of preprocessed samples, in nats; of whole images, by location. */
  readonly meanLogProb: number;
  /** ΔJ, paper eq. (4), between preprocessed samples and y. */
  readonly negentropyDifferencePerDimension: number;
  /** Of convolutions, over the frequencies that the step looked at. */
  readonly smallestSingularValue?: number;
}

/** A model that was fitted to images. */
export interface FittedModel<T extends AnyTransform, M extends AnyModel> {
  /** With a `problem`: the better one of start and result. */
  readonly model: M;
  /** Why the model is not usable; null where it is. {@link problemText} makes a sentence of it. */
  readonly problem: FitProblem | null;
  readonly fit: Fit<T>;
  readonly trainingImages: number;
  readonly heldOutImages: number;
}

/** What is fitted: a density of patches, or one of whole images. */
export interface Subject<T extends AnyTransform, M extends AnyModel> {
  readonly reading: ImageReading;
  /** Components of a sample, or of a location. */
  readonly dimension: number;
  /** Steps look at so many crops of this size; left out: at patches. */
  readonly crops?: CropOptions & { readonly batch: number };
  readonly start: (whitening: FloatArray) => T;
  /** Within which bounds the layers move, and what their steps raise. */
  readonly layers: (start: T) => Pick<LayerFitOptions<T>, OwnLayerOption>;
  /** What validations look at; left out: the likelihood of samples. */
  readonly measure?: Measure<T>;
  readonly modelOf: (stage: PreparedFit["preprocessing"], fitted: T, about: ModelAbout) => M;
  readonly nameOf: (fitted: T) => string;
  /** What the model says of its training beside what all do. */
  readonly training: NonNullable<ModelAbout["training"]>;
  /** The figure of the held-out log-likelihood, given that of a sample in nats. */
  readonly likelihoodFigure: (inNats: number) => Figures;
  /** Figures that take their time: of the result only. */
  readonly lastFigures?: (runner: TaskRunner, fitted: T) => Promise<Figures>;
}

type OwnLayerOption = "greedy" | "ends" | "objectiveFor" | keyof BoundOptions;
export type Figures = NonNullable<ModelAbout["figures"]>;

/** Options with their defaults, checked. */
export interface FitSettings extends FitDefaults {
  readonly optimiser: NonNullable<SharedOptions["optimiser"]>;
  readonly preprocessing: NonNullable<SharedOptions["preprocessing"]>;
  readonly patience: number;
  readonly heldOut: number;
  readonly restarts: readonly number[];
  readonly seed: Seed;
}

/** All that a fit needs once its data is prepared. */
export interface FitTask<T extends AnyTransform, M extends AnyModel> {
  readonly options: CommonFitOptions<T, M>;
  readonly settings: FitSettings;
  readonly subject: Subject<T, M>;
  readonly prepared: PreparedFit;
  readonly start: T;
}
