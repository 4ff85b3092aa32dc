/** What `gaussianize denoise` denoises with. */
import {
  type AnyModel,
  type DenoiserSettings,
  type PriorShelf,
  type TaskRunner,
  UsageError,
  isImageModel,
  requireReading,
  usualFitSteps,
} from "../../src/index.js";
import { packagePriors, readModel } from "../../node/index.js";
import type { DenoiseOptions } from "./options.js";

/** The same for all pictures. */
export interface Denoiser {
  readonly runner: TaskRunner;
  readonly shelf: PriorShelf;
  readonly settings: DenoiserSettings;
}

/** Reads the model that was asked for, and refuses what cannot denoise, before any picture is read. */
export async function openDenoiser(runner: TaskRunner, options: DenoiseOptions): Promise<Denoiser> {
  const { method, rounds, stride, seed, self, selfSteps = usualFitSteps } = options;
  const model = options.model === undefined ? undefined : await ownModel(options.model, self);
  const fitSteps = self ? selfSteps : 0;
  return {
    runner,
    shelf: packagePriors(),
    settings: { method, model, rounds, stride, seed, fitSteps },
  };
}

async function ownModel(path: string, self = false): Promise<AnyModel> {
  const model = await readModel(path);
  requireNoisy(model, path);
  if (self && isImageModel(model)) {
    throw new UsageError(`--self is for models of patches; ${path} is one of whole images`);
  }
  return model;
}

/** Empirical Bayes needs a density of noisy patches, with all that is in them. */
function requireNoisy(model: AnyModel, path: string): void {
  const { layout, noiseLevel } = requireReading(model, path);
  if (layout.removeMean) {
    throw new UsageError(
      `--model must be one of patches with their mean; ${path} was fitted to patches without`,
    );
  }
  if (noiseLevel !== undefined) return;
  const what = isImageModel(model) ? "images" : "patches";
  throw new UsageError(
    `--model must be fitted to noisy ${what} ("gaussianize fit --noise-level"); ${path} tells of no noise`,
  );
}
