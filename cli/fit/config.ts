/** What a fit was asked for: from the command line into the folder of the run, and back from there. */
import { resolve } from "node:path";
import {
  type CascadePreset,
  GaussianizeError,
  type ImageReading,
  type JsonObject,
  type JsonValue,
  type Luminance,
  type ModelName,
  type OptimiserName,
  type PreprocessingKind,
  type SecondNormalization,
  UsageError,
  fitDefaults,
  largestPoolRank,
  patchDimension,
  protocolOf,
} from "../../src/index.js";
import { type FitTerms, requireFitTerms, windowOfTerms } from "../../src/runs/fit-terms.js";
import { type ImageSet, embeddedPhotographs } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { cascadeTerms, requireForCascade } from "./cascade.js";
import { packageVersion } from "../package-version.js";
import { imagesAt } from "../passed-over.js";

export const distributions = ["mpi", "none"] as const;

export interface FitCommandOptions {
  readonly model: ModelName;
  readonly layers: number;
  readonly cascade?: CascadePreset;
  readonly stages: number;
  /** Of the second stage of the cascade. */
  readonly second?: SecondNormalization;
  /** Left out: what is best for what is fitted. */
  readonly greedy?: number;
  readonly output: string;
  readonly embedded?: true;
  readonly patch: number;
  readonly protocol?: string;
  readonly luminance?: Luminance;
  readonly removeMean?: true;
  readonly noise: boolean;
  readonly noiseLevel?: number;
  readonly preprocessing?: PreprocessingKind;
  readonly removeSaturated?: true;
  readonly steps?: number;
  readonly batch?: number;
  readonly rate?: number;
  readonly optimiser: OptimiserName;
  readonly certified?: true;
  readonly subspace: number;
  /** 0: a full γ. */
  readonly poolRank: number;
  readonly heldOut: number;
  readonly patience: number;
  readonly seed: number;
  /** Megabytes. */
  readonly memory?: number;
  readonly fastMath?: true;
  readonly strict?: true;
  readonly workers?: number;
  readonly distributed?: (typeof distributions)[number];
  readonly resume?: true;
  readonly force?: true;
  readonly json?: true;
}

/** All that decides on the model, defaults included: the same configuration gives the same bits. */
export interface FitConfig extends FitTerms {
  /** Version of the package: another one may take other steps. */
  readonly program: string;
  /** Of the images, to know them again. */
  readonly fingerprint: string;
  /** Images in memory at once. */
  readonly window: number;
}

export function configFor(terms: FitTerms, set: ImageSet): FitConfig {
  const { fingerprint } = set;
  return { ...terms, program: packageVersion(), fingerprint, window: windowOfTerms(terms, set) };
}

function readingFrom(options: FitCommandOptions): ImageReading {
  const { protocol, noise, noiseLevel, patch, removeMean = false } = options;
  // Noise of cameras and of papers is on encoded grey values, whose codes it spreads by itself.
  const isNoisy = noiseLevel !== undefined;
  const { luminance = isNoisy ? "grey" : "linear" } = options;
  if (protocol === undefined) {
    return { luminance, dequantize: noise && !isNoisy, layout: { size: patch, removeMean } };
  }
  // Noise may be left out to see what it costs.
  const agreed = protocolOf(protocol);
  return { ...agreed, dequantize: agreed.dequantize && noise };
}

/** With `effects`, what is passed over in folders is told. */
export async function imagesFrom(
  patterns: readonly string[],
  { embedded }: FitCommandOptions,
  effects?: Effects,
): Promise<readonly string[]> {
  if (embedded && patterns.length > 0) {
    throw new UsageError("Give either images or --embedded, not both.");
  }
  if (embedded) return embeddedPhotographs().map(({ path }) => path);
  if (patterns.length === 0) {
    throw new UsageError(
      "Which images? Name files, folders, globs or @lists, or give --embedded for the photographs that come with the package.",
    );
  }
  return (await imagesAt(patterns, effects)).map((path) => resolve(path));
}

export function termsFrom(options: FitCommandOptions, images: readonly string[]): FitTerms {
  const { luminance, dequantize, layout } = readingFrom(options);
  const { size, removeMean } = layout;
  const defaults = fitDefaults(options.model, patchDimension(layout), options.poolRank);
  const { noiseLevel, poolRank } = options;
  const isPlain = removeMean || noiseLevel !== undefined;
  const { preprocessing = isPlain ? "standardize" : "logistic" } = options;
  if (removeMean && preprocessing === "logistic") {
    throw new UsageError(
      "--preprocessing must be standardize where patches lose their mean; received logistic.",
    );
  }
  return {
    images,
    model: options.model,
    ...(options.layers > 1 && { layers: options.layers, greedy: options.greedy ?? 0 }),
    // Without its noise it is no longer what was agreed on.
    protocol: options.noise ? (options.protocol ?? null) : null,
    patch: size,
    removeMean,
    luminance,
    noise: dequantize,
    ...(noiseLevel === undefined ? {} : { noiseLevel: noiseLevel / 255 }),
    preprocessing,
    removeSaturated: options.removeSaturated ?? false,
    steps: options.steps ?? defaults.steps,
    batch: options.batch ?? defaults.batch,
    learningRate: options.rate ?? defaults.learningRate,
    optimiser: options.optimiser,
    ...(options.cascade === undefined && { certified: options.certified ?? false }),
    subspace: options.subspace,
    ...(poolRank > 0 && { poolRank }),
    heldOut: options.heldOut,
    patience: options.patience,
    seed: options.seed,
    fastMath: options.fastMath ?? false,
    ...(options.memory !== undefined && { memory: options.memory }),
    ...cascadeTerms(options),
  };
}

/** Options that contradict each other, or of which one would silently do nothing; `given` are those that were spelled out. */
export function requireConsistent(given: ReadonlySet<string>, options: FitCommandOptions): void {
  const { protocol, model, subspace, patch, heldOut, optimiser } = options;
  const decided = ["patch", "luminance", "removeMean"].find((name) => given.has(name));
  if (protocol !== undefined && decided !== undefined) {
    throw new UsageError(
      `--protocol ${protocol} decides on --${optionName(decided)}: give one of them.`,
    );
  }
  if (options.noiseLevel !== undefined) requireForNoise(given, options);
  requireForCascade(given, options);
  if (model !== "isa" && given.has("subspace")) {
    throw new UsageError(`--subspace is for --model isa; received --model ${model}.`);
  }
  if (model === "isa" && subspace > patch * patch) {
    throw new UsageError(
      `--subspace must be at most ${patch * patch}, the pixels of a patch; received ${subspace}.`,
    );
  }
  if (model !== "gdn" && options.poolRank > 0) {
    throw new UsageError(`--pool-rank is for --model gdn; received --model ${model}.`);
  }
  if (options.poolRank > 0) requirePoolRank(options);
  if (heldOut === 0 && given.has("patience")) {
    throw new UsageError("--patience needs images to validate with; received --held-out 0.");
  }
  if (optimiser === "sgd" && options.rate === undefined) {
    throw new UsageError("--optimiser sgd needs a --rate: what is right depends on the data.");
  }
}

/** Of so many dimensions as the patches have: those without their mean have one fewer. */
function requirePoolRank(options: FitCommandOptions): void {
  const { poolRank } = options;
  const dimension = patchDimension(readingFrom(options).layout);
  if (poolRank <= largestPoolRank(dimension)) return;
  throw new UsageError(
    `--pool-rank must be at most ${dimension}, the dimensions of a patch; received ${poolRank}.`,
  );
}

/** A density of noisy patches is for denoising, where noise must be what it is in the picture. */
function requireForNoise(given: ReadonlySet<string>, options: FitCommandOptions): void {
  const contrary = ["protocol", "noise", "removeMean"].find((name) => given.has(name));
  if (contrary !== undefined) {
    const name = contrary === "noise" ? "no-noise" : optionName(contrary);
    throw new UsageError(`--noise-level and --${name} contradict each other: give one of them.`);
  }
  if (options.preprocessing !== "logistic") return;
  throw new UsageError(
    "--preprocessing must be standardize with --noise-level; received logistic, a curve that would bend the noise.",
  );
}

/** The configuration of a run, checked: it may have been edited, or be of another version. */
export function configOf(config: JsonObject, path: string): FitConfig {
  const { program, fingerprint, window } = config;
  // First of all, since another version may have other terms.
  if (program !== packageVersion()) {
    throw new GaussianizeError(
      `${path} is of gaussianize ${JSON.stringify(program)}, which may take other steps than this one, ${packageVersion()}: begin anew with --force.`,
    );
  }
  const terms = requireFitTerms(config, path);
  if (typeof fingerprint !== "string" || typeof window !== "number") {
    throw new GaussianizeError(`${path} is incomplete: fingerprint or window is missing.`);
  }
  return { ...terms, program, fingerprint, window };
}

/**
 * The options of a run, with those that were spelled out in place of its own: whether these fit together, and what they mean, depends on
 * the others, which a command that goes on with a run need not repeat.
 */
export function optionsOfRun(
  config: FitConfig,
  options: FitCommandOptions,
  given: ReadonlySet<string>,
): FitCommandOptions {
  const { model, layers, cascade, stages, secondNormalization: second, greedy } = config;
  const { patch, subspace, poolRank, heldOut, optimiser, learningRate: rate } = config;
  const own = {
    ...{ model, layers, cascade, stages, second, greedy, patch, subspace, poolRank },
    ...{ heldOut, optimiser, rate },
  };
  const left = Object.entries(own).filter(
    ([name, value]) => value !== undefined && !given.has(name),
  );
  return { ...options, ...Object.fromEntries(left) };
}

/** Returns the terms of a run that a command asks for more steps of: it was extended from the step at which it ended before. */
export function extendedTerms(config: FitConfig, { steps = 0 }: FitCommandOptions): FitConfig {
  if (steps <= config.steps) return config;
  return { ...config, steps, restarts: [...(config.restarts ?? []), config.steps] };
}

/**
 * Refuses to resume a run under other terms than its own, but for more steps; `given` are the options that were spelled out.
 */
export function requireSame(
  config: FitConfig,
  asked: FitTerms,
  given: ReadonlySet<string>,
  output: string,
): void {
  const advice = "give only -o and --resume to resume it, or --force to replace it";
  for (const name of given) {
    const key = termNames[name] ?? name;
    const [before, now] = [config, asked].map((terms) => ({ ...absent, ...terms })[key]);
    if (now === undefined || JSON.stringify(before) === JSON.stringify(now)) continue;
    if (key === "steps" && asked.steps > config.steps) continue;
    const option = `--${optionName(name)}`;
    const own = before === null ? `no ${option}` : `${option} ${JSON.stringify(before)}`;
    const what =
      key === "images"
        ? "is of other images"
        : `has ${own}, but this command says ${JSON.stringify(now)}${key === "steps" ? ", and a fit can only be extended" : ""}`;
    throw new UsageError(`The run in ${output} ${what}: ${advice}.`);
  }
}

/** What terms say by what they leave out. */
const absent: Readonly<Record<string, JsonValue>> = {
  layers: 1,
  greedy: 0,
  cascade: null,
  secondNormalization: "gdn",
  poolRank: 0,
  memory: null,
};

/** Of the options whose terms have other names. */
const termNames: Readonly<Record<string, string>> = {
  rate: "learningRate",
  embedded: "images",
  second: "secondNormalization",
};

/** heldOut → held-out; noise is what --no-noise says. */
function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
