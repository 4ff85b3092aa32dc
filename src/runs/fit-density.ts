/** Fits a density to rows of samples, images in memory, or files. */
import type { AnyModel, Model } from "../density/model-files/model.js";
import { checkFields, expected } from "../errors.js";
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
 * Options of a fit, with the names of `gaussianize fit` (docs/commands.md) in camel case. For rows
 * of samples: model, steps, batch, learningRate and seed.
 */
export interface FitRequest
  extends Omit<FitAsked, "fastMath">, Pick<FitListener, "signal" | "onValidation"> {
  /** Called after each step. */
  readonly onProgress?: (progress: StepProgress) => void;
}

/** Options of a fit and of the runner that computes it. */
export interface FitOptions extends FitRequest, Omit<RunnerOptions, "callerWorks"> {}

/** Progress after a step; for rows of samples only `step` and `meanLogProb`. */
export type StepProgress = Pick<FitProgress, "step" | "meanLogProb"> & Partial<FitProgress>;

/** Result of a fit. */
export interface Fitted<D> {
  readonly density: D;
  /** Mean log p in nats at the recorded steps. */
  readonly history: FitHistory;
  /** Reason why the density is not usable, or null. */
  readonly problem: FitProblem | null;
}

/** Samples in rows of equal length, images in memory, or files. */
export type FitData<File> = SampleRows | readonly ImageInMemory[] | readonly File[];

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
  const [first] = Array.isArray(data) ? (data as readonly unknown[]) : [];
  if (typeof first !== "string" && (typeof first !== "object" || first === null)) {
    throw expected("what is fitted to", "be a list of rows, of images or of files", data);
  }
  if (Array.isArray(first) || ArrayBuffer.isView(first)) {
    return fitRows(runner, data as SampleRows, request);
  }
  const isInMemory = typeof first === "object" && "pixels" in first;
  return fitImages(runner, data, request, (isInMemory ? imagesInMemory : open) as OpenSet<unknown>);
}

async function fitRows(
  runner: TaskRunner,
  rows: SampleRows,
  { onProgress, ...options }: FitRequest,
): Promise<Fitted<Model>> {
  const history: FitHistory[number][] = [];
  const transform = await fitSamples(runner, rows, {
    ...(options as SampleFitOptions),
    onStep: (step, meanLogProb) => {
      history.push({ step, meanLogProb });
      onProgress?.({ step, meanLogProb });
    },
  });
  const { model = "gdn-general", seed = 1 } = options;
  const about = {
    name: namedModel(model).title,
    data: { samples: rows.length },
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
  checkFields("the options", asked, optionNames);
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
