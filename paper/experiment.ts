/** What an experiment of the paper is, and what it may ask for. */
import type { ImageModel, Model } from "../src/density/model-files/model.js";
import type { ChartDocument } from "../src/figures/chart-options.js";
import type { ReportBlock } from "../src/figures/report-blocks.js";
import type { TaskRunner } from "../src/parallel/job.js";
import type { ProtocolName } from "../src/patches/image-reading.js";
import type { CascadePreset, SecondNormalization } from "../src/training/cascade-geometry.js";
import type { ModelName } from "../src/transforms/model-names.js";

/** One table or figure of the paper. */
export interface Experiment {
  /** On the command line. */
  readonly name: string;
  readonly title: string;
  /** Of the paper: "§4.2, negentropy reduction". */
  readonly section: string;
  /** Sets of images of the full run. */
  readonly data: readonly string[];
  /** On two cores, where no fit is there yet; about. */
  readonly minutes: { readonly full: number; readonly quick: number };
  run(context: PaperContext): Promise<ExperimentResult>;
}

export interface ExperimentResult {
  /** For the report. */
  readonly blocks: readonly ReportBlock[];
  /** For results.json and, unless the blocks have a table of them, for the report. */
  readonly numbers: readonly PaperNumber[];
  readonly hasTable?: boolean;
  /** What was fitted, or taken from a run before. */
  readonly fits: readonly FitRecord[];
}

/** A figure of ours, with the paper's beside it. */
export interface PaperNumber {
  readonly name: string;
  readonly value: number;
  /** Null where it is not known. */
  readonly standardError: number | null;
  readonly unit: string;
  /** Of the images, where no fit tells it. */
  readonly dataHash?: string;
  /** Null where the paper gives no number. */
  readonly paper: number | null;
  /** Of the model that it is about; null where there is none. */
  readonly fit: FitRecord | null;
}

/** What the experiments are given: nothing else of the world. */
export interface PaperContext {
  readonly runner: TaskRunner;
  /** For charts. */
  readonly document: ChartDocument;
  readonly signal: AbortSignal;
  readonly seed: number;
  /**
   * Minutes instead of hours: small patches of the photographs that come with the package, short
   * fits.
   */
  readonly quick: boolean;
  /** Of every fit; null: as many as the experiment thinks right. */
  readonly steps: number | null;
  /** The files of a set (`kodak`, `bsds300/train`), or the photographs that stand for it. */
  images(set: string): Promise<readonly string[]>;
  /** Fits a model, or takes the one that a run before has fitted. */
  fit(request: FitRequest): Promise<PaperFit>;
  /** Fits a density of whole images (§4.3), or takes the one that a run before has fitted. */
  fitImages(request: ImageFitRequest): Promise<PaperImageFit>;
  /**
   * The same where it is there and finished, else null: some fits take so long that nobody begins
   * them unasked.
   */
  keptImages(request: ImageFitRequest): Promise<PaperImageFit | null>;
  /**
   * A part of an experiment, made once: after an interruption it is there. Plain data, since it is
   * kept as JSON.
   */
  part<T>(experiment: string, key: string, make: () => Promise<T>): Promise<T>;
  /** Says what is being done now, with the part that is done. */
  progress(label: string, total: number): (done: number) => void;
}

export interface FitRequest {
  /** Of the folder of its run: what has the same name is the same fit. */
  readonly name: string;
  readonly model: ModelName;
  /** On top of each other; default 1. */
  readonly layers?: number;
  readonly set: string;
  readonly protocol?: ProtocolName;
  /** Side of the patches of linear luminance, where there is no protocol. */
  readonly patch?: number;
  /** Whether codes are spread over their intervals. */
  readonly noise: boolean;
  /** Part of the images that validates. */
  readonly heldOut: number;
  /** Default: those of `gaussianize fit`. */
  readonly steps?: number;
}

/** What is told of a fit: all that a report needs of it. */
export interface FitRecord {
  /** "GDN" */
  readonly title: string;
  /** The file of the model. */
  readonly path: string;
  /** Of the images. */
  readonly dataHash: string;
  readonly command: string;
  readonly steps: number;
  readonly seconds: number;
}

export interface PaperFit extends FitRecord {
  readonly model: Model;
  /** The files it was fitted to. */
  readonly images: readonly string[];
  /** ΔJ in nats per pixel in the course of the fit. */
  readonly curve: { readonly x: readonly number[]; readonly y: readonly number[] };
}

/** A cascade CICA–GDN–CICA–GDN, as `gaussianize fit --cascade` fits it. */
export interface ImageFitRequest {
  readonly name: string;
  /** Of its sizes; "paper" has the paper's. */
  readonly cascade: CascadePreset;
  readonly set: string;
  /** Part of the images that the fit leaves out. */
  readonly heldOut: number;
  /**
   * Part of the steps in which stages are fitted one after the other; undefined: as `gaussianize
   * fit` does it.
   */
  readonly greedy?: number;
  /** Of the second stage; "marginal" makes its filters convolutional ICA. */
  readonly secondNormalization: SecondNormalization;
  readonly steps?: number;
}

export interface PaperImageFit extends FitRecord {
  readonly model: ImageModel;
  /** The files it was fitted to, and those that were left out. */
  readonly images: readonly string[];
  readonly heldOut: readonly string[];
}
