/** Fits a density to rows of samples, images in memory, or files. */
import type { AnyModel, Model } from "../density/model-files/model.js";
import { checkFields, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { RunnerOptions } from "../parallel/open-runner.js";
import type { SharedRunners } from "../parallel/shared-runners.js";
import type { ImageReading } from "../patches/image-reading.js";
import { type ImageInMemory, type ImageSetOptions, imagesInMemory } from "../patches/image-set.js";
import type { FitAsked } from "../training/fit-options.js";
import type { FitProblem } from "../training/fit-problem.js";
import type { FitHistory } from "../training/fit-records.js";
import { type SampleFitOptions, type SampleRows, fitSamples } from "../training/fit-samples.js";
import type { FitProgress } from "../training/image-fit.js";
import { checkOptions, optionNames } from "../training/settle-options.js";
import { namedModel } from "../transforms/model-names.js";
import {
  type FitListener,
  type SetOfFit,
  fitTerms,
  fitWithTerms,
  leastSideOf,
  readingOfTerms,
} from "./fit-terms.js";

/**
 * Options of a fit, with the names of `gaussianize fit` (docs/commands.md) in camel case. A fit to
 * samples takes model (not "isa"), steps, batch, learningRate, seed, dimension, signal and
 * onProgress, with the defaults of `fitSamples`. A fit to images takes all others but dimension.
 */
export interface FitRequest
  extends Omit<FitAsked, "fastMath">, Pick<FitListener, "signal" | "onValidation"> {
  /** Called after each step. */
  readonly onProgress?: (progress: StepProgress) => void;
  /** Values of a sample, for samples in one typed array. */
  readonly dimension?: number;
}

/** Options of a fit and of the runner that computes it. */
export interface FitOptions extends FitRequest, Omit<RunnerOptions, "callerWorks"> {}

/** Progress after a step; for samples only `step` and `meanLogProb`. */
export type StepProgress = Pick<FitProgress, "step" | "meanLogProb"> & Partial<FitProgress>;

/** Result of a fit. */
export interface Fitted<D> {
  readonly density: D;
  /** Mean log p in nats at the recorded steps. */
  readonly history: FitHistory;
  /** Reason why the density is not usable, or null. */
  readonly problem: FitProblem | null;
}

/**
 * Samples in rows of equal length, or in one typed array with the option `dimension`; images in
 * memory; or files.
 */
export type FitData<File> = FloatArray | SampleRows | readonly ImageInMemory[] | readonly File[];

type OpenSet<Files> = (
  files: Files,
  reading: ImageReading,
  options: ImageSetOptions & { readonly signal?: AbortSignal },
) => SetOfFit | Promise<SetOfFit>;

/** Fits on a shared runner; `densityOf` opens the fitted model with the same options. */
export async function fitOnShared<File extends string | object, D>(
  runners: SharedRunners,
  data: FitData<File>,
  { workers, kernels, ...request }: FitOptions,
  open: OpenSet<readonly File[]>,
  densityOf: (model: AnyModel, options: RunnerOptions) => D,
): Promise<Fitted<D>> {
  const options = {
    ...(workers !== undefined && { workers }),
    ...(kernels !== undefined && { kernels }),
  };
  const share = runners.share(options);
  try {
    const fitted = await fitData(await share.use(), data, request, open);
    return { ...fitted, density: densityOf(fitted.density, options) };
  } finally {
    await share.release();
  }
}

/** Fits a model to data of any kind; `open` opens files. */
async function fitData<File extends string | object>(
  runner: TaskRunner,
  data: FitData<File>,
  request: FitRequest,
  open: OpenSet<readonly File[]>,
): Promise<Fitted<AnyModel>> {
  if (isFlat(data)) return fitRows(runner, data, request);
  const [first] = Array.isArray(data) ? (data as readonly unknown[]) : [];
  if (typeof first !== "string" && (typeof first !== "object" || first === null)) {
    const rule = "be rows, a Float32Array or Float64Array of samples, images or files";
    throw expected("the data", rule, data);
  }
  if (Array.isArray(first) || ArrayBuffer.isView(first)) {
    return fitRows(runner, data as SampleRows, request);
  }
  if (typeof first === "object" && "channels" in first && !("pixels" in first)) {
    const rule = "be grey images { width, height, pixels }, as decodeImage returns them,";
    throw expected("the data", rule, first);
  }
  const isInMemory = typeof first === "object" && "pixels" in first;
  return fitImages(runner, data, request, (isInMemory ? imagesInMemory : open) as OpenSet<unknown>);
}

function isFlat(data: unknown): data is FloatArray {
  return data instanceof Float32Array || data instanceof Float64Array;
}

/** Options of {@link fitOnShared}, which are not checked again. */
const runnerFields = ["workers", "kernels"] as const;
const rowFields = [
  "model",
  "steps",
  "batch",
  "learningRate",
  "seed",
  "dimension",
  "signal",
  "onProgress",
  ...runnerFields,
] as const;
const imageFields = [
  // The kernels of the runner decide this.
  ...optionNames.filter((name) => name !== "fastMath"),
  "signal",
  "onProgress",
  "onValidation",
  ...runnerFields,
];

async function fitRows(
  runner: TaskRunner,
  samples: FloatArray | SampleRows,
  { onProgress, ...options }: FitRequest,
): Promise<Fitted<Model>> {
  checkFields("the options of a fit to samples", options as object, rowFields);
  const history: FitHistory[number][] = [];
  const transform = await fitSamples(runner, samples as SampleRows, {
    ...(options as SampleFitOptions),
    onStep: (step, meanLogProb) => {
      history.push({ step, meanLogProb });
      onProgress?.({ step, meanLogProb });
    },
  });
  const { model = "gdn-general", seed = 1 } = options;
  const about = {
    name: namedModel(model).title,
    data: { samples: samples.length / (isFlat(samples) ? transform.dimension : 1) },
    seed,
    training: { steps: history.length },
  };
  return { density: { transform, about }, history, problem: null };
}

async function fitImages(
  runner: TaskRunner,
  images: unknown,
  { signal, onProgress, onValidation, ...asked }: FitRequest,
  open: OpenSet<unknown>,
): Promise<Fitted<AnyModel>> {
  checkFields("the options of a fit to images", asked as object, imageFields);
  checkOptions(asked, optionNames);
  const terms = fitTerms(asked, []);
  const { seed, removeSaturated } = terms;
  const reading = readingOfTerms(terms);
  // Images must be at least as large as the patches or crops of the fit.
  const layout = { ...reading.layout, size: leastSideOf(terms) };
  const set = await open(
    images,
    { ...reading, layout },
    { seed, removeSaturated, ...(signal && { signal }) },
  );
  const { model, fit, problem } = await fitWithTerms(runner, terms, set, {
    ...(signal && { signal }),
    ...(onProgress && { onStep: onProgress }),
    ...(onValidation && { onValidation }),
  });
  return { density: model, history: fit.history, problem };
}
