/**
 * What `gaussianize denoise` can be asked for, what of it makes no sense together, and what it
 * denoises with.
 */
import { InvalidArgumentError } from "commander";
import { usualFitSteps } from "../../src/denoising/fit-to-image.js";
import type { DenoiserSettings, DenoisingMethod } from "../../src/denoising/picture-denoiser.js";
import { greyLevels } from "../../src/denoising/picture-noise.js";
import type { PriorShelf } from "../../src/denoising/prior-shelf.js";
import { densityOf } from "../../src/density/density-of.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import type { AnyModel } from "../../src/density/model-files/model.js";
import { UsageError } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { packagePriors } from "../../node/denoising-priors.js";
import { readModel } from "../../node/model-files.js";
import { refuseOptions } from "../model-files.js";

export interface DenoiseOptions {
  readonly output?: string;
  /** In grey levels of 255, as all of them here. */
  readonly sigma?: number;
  readonly method: DenoisingMethod;
  readonly model?: string;
  readonly stride?: number;
  readonly rounds?: number;
  readonly self?: true;
  readonly selfSteps?: number;
  readonly reference?: string;
  readonly addNoise?: number;
  readonly seed: number;
  readonly compare?: true;
  readonly force?: true;
  readonly workers?: number;
  readonly json?: true;
}

/** Methods by a density of patches. */
function isOfDensity(method: DenoisingMethod): boolean {
  return method === "gdn" || method === "ica-mg";
}

/** A noise level: noise of 255 grey levels leaves nothing of a picture. */
export function noiseLevel(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value <= greyLevels) return value;
  throw new InvalidArgumentError(
    `It must be a number above 0 and at most ${greyLevels}, in grey levels of ${greyLevels}.`,
  );
}

export function requireConsistent(options: DenoiseOptions): void {
  const { method, output, addNoise } = options;
  // The methods of densities choose one of their own; whoever brings one has chosen.
  if (options.model !== undefined && method !== "gdn") {
    throw new UsageError(
      `--model takes a density of any kind, without --method; received --method ${method}`,
    );
  }
  const ofDensities = { "--self": options.self, "--stride": options.stride };
  for (const [name, value] of Object.entries(ofDensities)) {
    if (value === undefined || isOfDensity(method)) continue;
    throw new UsageError(`${name} is for --method gdn or ica-mg; received --method ${method}`);
  }
  if (options.rounds !== undefined && method !== "gdn") {
    throw new UsageError(`--rounds is for --method gdn; received --method ${method}`);
  }
  if (options.selfSteps !== undefined && !options.self) {
    throw new UsageError("--self-steps is for --self, which was not given");
  }
  if (addNoise !== undefined && options.reference !== undefined) {
    throw new UsageError(
      "Give either --add-noise, which takes the pictures themselves for clean, or --reference, not both",
    );
  }
  if (output === undefined && addNoise === undefined) {
    throw new UsageError("Where should the pictures go? Give -o <file or folder>");
  }
  if (output === undefined && options.compare) {
    throw new UsageError("--compare writes beside the denoised picture: give -o <file or folder>");
  }
}

/** The same for all pictures. */
export interface Denoiser {
  readonly runner: TaskRunner;
  readonly shelf: PriorShelf;
  readonly settings: DenoiserSettings;
}

/**
 * Reads the model that was asked for, and refuses what cannot denoise, before any picture is read.
 */
export async function openDenoiser(runner: TaskRunner, options: DenoiseOptions): Promise<Denoiser> {
  const { method, rounds, stride, seed, self, selfSteps = usualFitSteps } = options;
  const model = await ownModel(runner, options);
  const fitSteps = self ? selfSteps : 0;
  return {
    runner,
    shelf: packagePriors(),
    settings: { method, model, rounds, stride, seed, fitSteps },
  };
}

/** Empirical Bayes needs a density of noisy patches or images, with all that is in them. */
async function ownModel(
  runner: TaskRunner,
  options: DenoiseOptions,
): Promise<AnyModel | undefined> {
  const { model: path } = options;
  if (path === undefined) return undefined;
  const density = densityOf(await readModel(path), runner);
  const { model, kind } = density;
  const { layout, noiseLevel } = requireReading(model, path);
  if (layout.removeMean) {
    throw new UsageError(
      `--model must be one of patches with their mean; ${path} was fitted to patches without`,
    );
  }
  if (noiseLevel === undefined) {
    throw new UsageError(
      `--model must be fitted to noisy ${kind} ("gaussianize fit --noise-level"); ${path} tells of no noise`,
    );
  }
  refuseOptions(density, path, options, { patches: ["self"] });
  return model;
}
