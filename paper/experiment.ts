/** The interface of an experiment of the paper, and its context. */
import type { ImageModel, PatchModel } from "../src/density/model-files/model.js";
import type { ChartDocument } from "../src/figures/chart-options.js";
import type { ReportBlock } from "../src/figures/report-blocks.js";
import type { TaskRunner } from "../src/parallel/job.js";
import type { ProtocolName } from "../src/patches/image-reading.js";
import type { CascadePreset, SecondNormalization } from "../src/training/cascade-geometry.js";
import type { GradientKind } from "../src/training/gradient-kind.js";
import type { ModelName } from "../src/transforms/model-names.js";

/** One table or figure of the paper. */
export interface Experiment {
  /** Name on the command line. */
  readonly name: string;
  readonly title: string;
  /** Section of the paper: "§4.2, negentropy reduction". */
  readonly section: string;
  /** Image sets that the full run needs. */
  readonly data: readonly string[];
  /** Approximate time on two cores, including fits; null if there is no quick version. */
  readonly minutes: { readonly full: number; readonly quick: number | null };
  /** Takes an hour or two, so `all` leaves it out. */
  readonly isLong?: true;
  run(context: PaperContext): Promise<ExperimentResult>;
}

export interface ExperimentResult {
  /** Contents of the report. */
  readonly blocks: readonly ReportBlock[];
  /** Numbers of results.json and, unless `hasTable`, of a table in the report. */
  readonly numbers: readonly PaperNumber[];
  /** Whether the blocks already include a table of the numbers. */
  readonly hasTable?: boolean;
  /** Fits of this run, and fits reused from a previous run. */
  readonly fits: readonly FitRecord[];
}

/** A number of ours, and the paper's. */
export interface PaperNumber {
  readonly name: string;
  readonly value: number;
  /** Null if unknown. */
  readonly standardError: number | null;
  readonly unit: string;
  /** Hash of the images, if there is no fit with one. */
  readonly dataHash?: string;
  /** Null if the paper gives no number. */
  readonly paper: number | null;
  /** The fit of the model; null without one. */
  readonly fit: FitRecord | null;
}

/** Everything that an experiment can access. */
export interface PaperContext {
  readonly runner: TaskRunner;
  /** Document for drawing charts. */
  readonly document: ChartDocument;
  readonly signal: AbortSignal;
  readonly seed: number;
  /** Minutes instead of hours: short fits to small patches of the embedded photographs. */
  readonly quick: boolean;
  /** Steps of every fit; null for the default of the experiment. */
  readonly steps: number | null;
  /** The files of a set (`kodak`, `bsds300/train`); in a quick run, embedded photographs. */
  images(set: string): Promise<readonly string[]>;
  /** Fits a model, or reuses the fit of a previous run. */
  fit(request: FitRequest): Promise<PaperFit>;
  /** Fits a density of whole images (§4.3), or reuses the fit of a previous run. */
  fitImages(request: ImageFitRequest): Promise<PaperImageFit>;
  /** Makes a part of an experiment once; it is kept as JSON, so it must be plain data. */
  part<T>(experiment: string, key: string, make: () => Promise<T>): Promise<T>;
  /** Starts a progress line; the returned function updates it. */
  progress(label: string, total: number): (done: number) => void;
}

export interface FitRequest {
  /** Name of the run folder, which identifies the fit. */
  readonly name: string;
  readonly model: ModelName;
  /** Number of layers, default 1. */
  readonly layers?: number;
  /** Hidden units of the couplings between layers, default 0: no couplings. */
  readonly couplings?: number;
  /** Number of components of a mixture, default 1. */
  readonly components?: number;
  /** Whether to fit a mixture over the 8 poses of a patch, default false. */
  readonly symmetric?: boolean;
  readonly set: string;
  readonly protocol?: ProtocolName;
  /** Side of the patches of linear luminance, without a protocol. */
  readonly patch?: number;
  /** Whether to add dequantisation noise. */
  readonly noise: boolean;
  /** Default: that of `gaussianize fit`, as for the next two. */
  readonly gradient?: GradientKind;
  readonly learningRate?: number;
  readonly steps?: number;
  /** Share of the images for validation. */
  readonly heldOut: number;
}

/** The facts about a fit that a report shows. */
export interface FitRecord {
  /** "GDN" */
  readonly title: string;
  /** The file of the model. */
  readonly path: string;
  /** Hash of the images. */
  readonly dataHash: string;
  readonly command: string;
  readonly steps: number;
  readonly seconds: number;
}

export interface PaperFit<M extends PatchModel = PatchModel> extends FitRecord {
  /** A mixture if the fit has several components or poses. */
  readonly model: M;
  /** The files of the training images. */
  readonly images: readonly string[];
  readonly heldOut: readonly string[];
  /** ΔJ in nats per pixel during the fit. */
  readonly curve: { readonly x: readonly number[]; readonly y: readonly number[] };
}

/** A cascade CICA–GDN–CICA–GDN, as `gaussianize fit --cascade` fits it. */
export interface ImageFitRequest {
  readonly name: string;
  /** Preset of the sizes; "paper" has the paper's. */
  readonly cascade: CascadePreset;
  readonly set: string;
  /** Share of the images that are held out. */
  readonly heldOut: number;
  /** Share of the steps that fit one stage after the other; default: that of `gaussianize fit`. */
  readonly greedy?: number;
  /** Normalization of the second stage; "marginal" makes its filters convolutional ICA. */
  readonly secondNormalization: SecondNormalization;
  readonly steps?: number;
}

export interface PaperImageFit extends FitRecord {
  readonly model: ImageModel;
  /** The files of the training images. */
  readonly images: readonly string[];
  readonly heldOut: readonly string[];
}
