/** The records of a fit to images: options, subject and result. */
import type { AnyModel, ModelAbout } from "../density/model-files/model.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Ranks } from "../parallel/ranks.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { LoadImage } from "../patches/image-window.js";
import type { Seed } from "../random/random-stream.js";
import type { FittedTransform } from "../transforms/side-by-side.js";
import type { FitDefaults } from "./fit-defaults.js";
import type { LayerFitOptions } from "./fit-layers.js";
import type { OptionsExceptFor } from "./fit-options.js";
import type { FitProblem } from "./fit-problem.js";
import type { Fit, FitCheckpoint } from "./fit-records.js";
import type { CropOptions } from "./held-out.js";
import type { GradientEstimate } from "./negentropy-gradient.js";
import type { BoundOptions } from "./parameter-bounds.js";
import type { PreparationPhase, PreparedFit } from "./prepare-fit.js";
import type { Measure } from "./validation.js";

/** Options of fits of patches and of fits of whole images. */
type SharedOptions = Omit<OptionsExceptFor<"patches" | "cascades">, "seed">;

/**
 * Options of all fits to images, where T is the fitted transform and M the resulting model.
 * Defaults are the same as on the command line (fit-options.ts).
 */
export interface CommonFitOptions<T extends FittedTransform, M extends AnyModel = AnyModel>
  extends SharedOptions, FitSurroundings<T, M> {}

/** Images, listeners and checkpoints of a fit. */
interface FitSurroundings<T extends FittedTransform, M extends AnyModel> {
  /** Number of images. */
  readonly images: number;
  readonly load: LoadImage;
  /**
   * Steps at which the fit ended before it was extended; default none. The learning rate rises and
   * falls again after each (fit-layers.ts). The same restarts give the same bits.
   */
  readonly restarts?: readonly number[];
  /**
   * Model before the extension. The fit fails if its result is worse. Default: the result is
   * compared with the start of the fit.
   */
  readonly finished?: AnyModel;
  readonly seed?: Seed | undefined;
  /** Origin of the images, to be recorded in the model; default none. */
  readonly origin?: FitOrigin;
  /** Images in memory at once; default all. */
  readonly window?: number;
  /**
   * First images of runs that are best read in sequence (`ImageSet.readingPlan`); default: every
   * image is read on its own.
   */
  readonly runs?: Uint32Array;
  readonly signal?: AbortSignal;
  /** Ends the fit at once, even while it waits, with a checkpoint of the last sound step. */
  readonly abandonment?: AbortSignal;
  /**
   * Processes that share the fit, each with these same options. The model is bit-identical,
   * whatever their number.
   */
  readonly ranks?: Ranks;
  readonly onPhase?: (phase: PreparationPhase | "fit") => void;
  /** Called after each step of the fit of single blocks from which a cascade starts. */
  readonly onBlockStep?: (done: number, steps: number) => void;
  readonly onStep?: (progress: FitProgress) => void;
  readonly onValidation?: (progress: FitProgress) => void;
  readonly checkpointEvery?: number;
  /** Seconds after which another checkpoint is made; default Infinity. */
  readonly checkpointSeconds?: number;
  /**
   * Makes a checkpoint as soon as it takes less than this fraction of the time since the last one,
   * and one before the last step. Default 0: neither.
   */
  readonly checkpointShare?: number;
  /** Receives a checkpoint; `model` makes the model of a fit that ends there. */
  readonly onCheckpoint?: (checkpoint: FitCheckpoint<T>, model: () => M) => void | Promise<void>;
  /** Returns the checkpoint to resume from, or null to start anew. */
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
  "onBlockStep",
  "onStep",
  "onValidation",
  "checkpointEvery",
  "checkpointSeconds",
  "checkpointShare",
  "onCheckpoint",
  "resume",
] as const;

/** Origin of the images of a fit, as recorded in a model. */
export interface FitOrigin {
  /** Fingerprint of the image set. */
  readonly hash: string;
  /** Number of images given, including unusable ones. */
  readonly images: number;
  /** Name of a protocol of the literature. */
  readonly protocol?: string | null;
  /** Whether saturated images were skipped. */
  readonly removeSaturated?: boolean;
}

export interface FitProgress {
  readonly step: number;
  /**
   * Mean log p of preprocessed samples in nats; for whole images, per location. For mixtures, an
   * estimate of a lower bound (mixture-fit.ts).
   */
  readonly meanLogProb: number;
  /** ΔJ, paper eq. (4), between preprocessed samples and y. */
  readonly negentropyDifferencePerDimension: number;
  /** Smallest singular value of the convolutions at the frequencies of this step. */
  readonly smallestSingularValue?: number;
  /** Statistics of the estimate, in steps whose gradient is not exact. */
  readonly estimate?: GradientEstimate;
}

/** A model that was fitted to images. */
export interface FittedModel<T extends FittedTransform, M extends AnyModel> {
  /** With a `problem`: the better of start and result. */
  readonly model: M;
  /** Reason why the model is not usable, or null. {@link problemText} describes it. */
  readonly problem: FitProblem | null;
  readonly fit: Fit<T>;
  readonly trainingImages: number;
  readonly heldOutImages: number;
}

/** Subject of a fit: a density of patches or of whole images. */
export interface Subject<T extends FittedTransform, M extends AnyModel> {
  readonly reading: ImageReading;
  /** Components of a sample, or of a location. */
  readonly dimension: number;
  /** Size and number of the crops of a step; default: patches. */
  readonly crops?: CropOptions & { readonly batch: number };
  readonly start: (runner: TaskRunner, prepared: PreparedFit) => T | Promise<T>;
  /** Returns the bounds and the objective of the layers. */
  readonly layers: (start: T) => Pick<LayerFitOptions<T>, OwnLayerOption>;
  /** Measure of validations; default: mean log p of samples. */
  readonly measure?: Measure<T>;
  readonly modelOf: (stage: PreparedFit["preprocessing"], fitted: T, about: ModelAbout) => M;
  readonly nameOf: (fitted: T) => string;
  /** Entries of `about.training` that only this subject has. */
  readonly training: NonNullable<ModelAbout["training"]>;
  /** Returns the figure of the held-out log-likelihood, given that of a sample in nats. */
  readonly likelihoodFigure: (inNats: number) => Figures;
  /** Computes slow figures, for the result only. */
  readonly lastFigures?: (runner: TaskRunner, fitted: T) => Promise<Figures>;
}

type OwnLayerOption =
  | "greedy"
  | "alone"
  | "startsNarrow"
  | "groupRates"
  | "ends"
  | "objectiveFor"
  | "probes"
  | keyof BoundOptions;
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

/** A fit with prepared data. */
export interface FitTask<T extends FittedTransform, M extends AnyModel> {
  readonly options: CommonFitOptions<T, M>;
  readonly settings: FitSettings;
  readonly subject: Subject<T, M>;
  readonly prepared: PreparedFit;
  readonly start: T;
}
