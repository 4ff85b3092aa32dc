/** Options of `gaussianize denoise`: rejects contradictions and opens the denoiser. */
import type { DenoisingPreset } from "../../src/denoising/denoising-plan.js";
import { usualFitSteps } from "../../src/denoising/fit-to-image.js";
import type { DenoiserSettings, DenoisingMethod } from "../../src/denoising/picture-denoiser.js";
import type { NoiseKind } from "../../src/denoising/real-noise/noise-kind.js";
import type { PriorShelf } from "../../src/denoising/prior-shelf.js";
import { densityOf } from "../../src/density/density-of.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { type AnyModel, isMixtureModel } from "../../src/density/model-files/model.js";
import { UsageError } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { packagePriors } from "../../node/denoising-priors.js";
import { readModel } from "../../node/model-files.js";
import { refuseOptions } from "../model-files.js";

export interface DenoiseOptions {
  readonly output?: string;
  /** Noise level in grey levels of 255, like all noise levels of the command. */
  readonly sigma?: number;
  readonly noise?: NoiseKind;
  readonly method: DenoisingMethod;
  readonly model?: string;
  readonly fast?: true;
  readonly best?: true;
  readonly stride?: number;
  readonly rounds?: number;
  /** False with --no-self-similar. */
  readonly selfSimilar?: boolean;
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

/** Returns whether a method uses a density of patches. */
function isOfDensity(method: DenoisingMethod): boolean {
  return method === "gdn" || method === "ica-mg";
}

export function requireConsistent(options: DenoiseOptions): void {
  const { method, output, addNoise } = options;
  // A method chooses a density, and so does --model.
  if (options.model !== undefined && method !== "gdn") {
    throw new UsageError(
      `--model replaces --method: give one of them; received --method ${method}`,
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
  if (options.selfSimilar === false && method !== "gdn") {
    throw new UsageError(`--no-self-similar is for --method gdn; received --method ${method}`);
  }
  if (options.fast && options.best) throw new UsageError("Give either --fast or --best, not both");
  for (const name of ["fast", "best"] as const) {
    if (options[name] && (method !== "gdn" || options.model !== undefined)) {
      const received = options.model === undefined ? `--method ${method}` : "--model";
      throw new UsageError(`--${name} is for the densities of the package; received ${received}`);
    }
    if (options[name] && options.rounds === 1) {
      throw new UsageError(`--${name} plans several rounds; give it without --rounds 1`);
    }
  }
  if (options.selfSteps !== undefined && !options.self) {
    throw new UsageError("--self-steps needs --self");
  }
  if (addNoise !== undefined && options.reference !== undefined) {
    throw new UsageError(
      "Give either --add-noise, which takes the pictures as clean, or --reference, not both",
    );
  }
  if (addNoise !== undefined && (options.noise ?? "white") !== "white") {
    throw new UsageError(
      `--add-noise adds white noise, so --noise ${String(options.noise)} cannot be right`,
    );
  }
  if (output === undefined && addNoise === undefined) {
    throw new UsageError("Where should the pictures go? Give -o <file or folder>");
  }
  if (output === undefined && options.compare) {
    throw new UsageError("--compare writes beside the output: give -o <file or folder>");
  }
}

export interface Denoiser {
  readonly runner: TaskRunner;
  readonly shelf: PriorShelf;
  readonly settings: DenoiserSettings;
}

/** Opens the denoiser for all pictures; rejects a model that cannot denoise. */
export async function openDenoiser(runner: TaskRunner, options: DenoiseOptions): Promise<Denoiser> {
  const { method, rounds, stride, seed, self, selfSteps = usualFitSteps } = options;
  const model = await ownModel(runner, options);
  const fitSteps = self ? selfSteps : 0;
  const selfSimilar = options.selfSimilar === false ? false : undefined;
  return {
    runner,
    shelf: packagePriors(),
    settings: {
      method,
      model,
      preset: presetOf(options),
      rounds,
      selfSimilar,
      stride,
      seed,
      fitSteps,
    },
  };
}

export function presetOf({ fast, best }: Pick<DenoiseOptions, "fast" | "best">): DenoisingPreset {
  if (fast) return "fast";
  return best ? "best" : "default";
}

/** Reads --model: empirical Bayes needs a density of noisy patches or images with their means. */
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
      `--model must be fitted without --remove-mean; ${path} was fitted with it`,
    );
  }
  if (noiseLevel === undefined) {
    throw new UsageError(
      `--model must be fitted to noisy ${kind} (fit --noise-level); ${path} was fitted without noise`,
    );
  }
  refuseOptions(density, path, options, { patches: ["self"] });
  if (options.self && isMixtureModel(model)) {
    throw new UsageError(`--self fits one transform; ${path} is a mixture`);
  }
  return model;
}
