/** What a fit was asked for: from the command line into the folder of the run, and back from there. */
import { resolve } from "node:path";
import {
  type ImageReading,
  type JsonObject,
  type JsonValue,
  type Luminance,
  type ModelName,
  type OptimiserName,
  type PreprocessingKind,
  UsageError,
  fitDefaults,
  patchDimension,
  protocolOf,
} from "../src/index.js";
import { embeddedPhotographs, findImages } from "../node/index.js";

export interface FitCommandOptions {
  readonly model: ModelName;
  readonly output: string;
  readonly embedded?: true;
  readonly patch: number;
  readonly protocol?: string;
  readonly luminance: Luminance;
  readonly removeMean?: true;
  readonly noise: boolean;
  readonly preprocessing?: PreprocessingKind;
  readonly removeSaturated?: true;
  readonly steps?: number;
  readonly batch?: number;
  readonly rate?: number;
  readonly optimiser: OptimiserName;
  readonly certified?: true;
  readonly subspace: number;
  readonly heldOut: number;
  readonly patience: number;
  readonly seed: number;
  readonly fastMath?: true;
  readonly strict?: true;
  readonly workers?: number;
  readonly resume?: true;
  readonly force?: true;
  readonly json?: true;
}

/** All that decides on the model, defaults included: the same configuration gives the same bits. */
export interface FitConfig extends FitTerms {
  /** Of the images, to know them again. */
  readonly fingerprint: string;
  /** Images in memory at once. */
  readonly window: number;
}

/** What was asked for. */
export interface FitTerms extends JsonObject {
  /** Absolute, so that a run can be resumed from anywhere. */
  readonly images: readonly string[];
  readonly model: ModelName;
  readonly protocol: string | null;
  readonly patch: number;
  readonly removeMean: boolean;
  readonly luminance: Luminance;
  readonly noise: boolean;
  readonly preprocessing: PreprocessingKind;
  readonly removeSaturated: boolean;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly optimiser: OptimiserName;
  readonly certified: boolean;
  readonly subspace: number;
  readonly heldOut: number;
  readonly patience: number;
  readonly seed: number;
  readonly fastMath: boolean;
}

export function readingOfTerms(terms: FitTerms): ImageReading {
  const { luminance, noise, patch, removeMean } = terms;
  return { luminance, dequantize: noise, layout: { size: patch, removeMean } };
}

function readingFrom(options: FitCommandOptions): ImageReading {
  const { protocol, noise, luminance, patch, removeMean = false } = options;
  if (protocol === undefined) {
    return { luminance, dequantize: noise, layout: { size: patch, removeMean } };
  }
  // Noise may be left out to see what it costs; anything else would be another protocol.
  const agreed = protocolOf(protocol);
  return { ...agreed, dequantize: agreed.dequantize && noise };
}

export async function imagesFrom(
  patterns: readonly string[],
  { embedded }: FitCommandOptions,
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
  return (await findImages(patterns)).map((path) => resolve(path));
}

export function termsFrom(options: FitCommandOptions, images: readonly string[]): FitTerms {
  const { luminance, dequantize, layout } = readingFrom(options);
  const { size, removeMean } = layout;
  const defaults = fitDefaults(options.model, patchDimension(layout));
  const { preprocessing = removeMean ? "standardize" : "logistic" } = options;
  if (removeMean && preprocessing === "logistic") {
    throw new UsageError(
      "--preprocessing must be standardize where patches lose their mean; received logistic.",
    );
  }
  return {
    images,
    model: options.model,
    protocol: options.protocol ?? null,
    patch: size,
    removeMean,
    luminance,
    noise: dequantize,
    preprocessing,
    removeSaturated: options.removeSaturated ?? false,
    steps: options.steps ?? defaults.steps,
    batch: options.batch ?? defaults.batch,
    learningRate: options.rate ?? defaults.learningRate,
    optimiser: options.optimiser,
    certified: options.certified ?? false,
    subspace: options.subspace,
    heldOut: options.heldOut,
    patience: options.patience,
    seed: options.seed,
    fastMath: options.fastMath ?? false,
  };
}

/** Refuses to go on with a run under other terms. */
export function requireSame(config: FitConfig, asked: FitTerms, output: string): void {
  const other = Object.keys(asked).find(
    (key) => JSON.stringify(config[key]) !== JSON.stringify(asked[key]),
  );
  if (other === undefined) return;
  const [before, now] = [config[other], asked[other]].map(brief);
  if (other === "images") {
    throw new UsageError(
      `The run in ${output} is of other images: give only -o and --resume to go on with it, or --force to begin anew.`,
    );
  }
  throw new UsageError(
    `The run in ${output} has --${labels[other] ?? other} ${before}, but this command says ${now}: give only -o and --resume to go on with that run, or --force to begin anew.`,
  );
}

/** Of the keys that are not called as their options. */
const labels: Readonly<Record<string, string>> = {
  learningRate: "rate",
  heldOut: "held-out",
  removeSaturated: "remove-saturated",
  removeMean: "remove-mean",
  fastMath: "fast-math",
};

function brief(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
