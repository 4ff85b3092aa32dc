/** What a fit was asked for, as `gaussianize fit` keeps it in config.json; for Node and for pages. */
import type { JsonObject } from "../density/model-files/json.js";
import { expected } from "../errors.js";
import type { Luminance } from "../images/luminance.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { ImageSet } from "../patches/image-set.js";
import { patchDimension } from "../patches/patch-layout.js";
import {
  type CascadePreset,
  type SecondNormalization,
  cascadeGeometry,
  cascadePresets,
  secondNormalizations,
} from "../training/cascade-geometry.js";
import { imageFitDefaults } from "../training/fit-image-model.js";
import { type ModelFitOptions, fitDefaults } from "../training/fit-model.js";
import { type PreprocessingKind, preprocessingKinds } from "../training/fit-preprocessing.js";
import type { FitOrigin } from "../training/fit-settings.js";
import { type OptimiserName, optimiserNames } from "../training/optimisers.js";
import { largestRank } from "../transforms/gdn-structures.js";
import { type ModelName, modelNames } from "../transforms/model-names.js";

/** What was asked for. */
export interface FitTerms extends JsonObject {
  /** Absolute, so that a run can be resumed from anywhere. */
  readonly images: readonly string[];
  readonly model: ModelName;
  /** Left out: one. */
  readonly layers?: number;
  /** Of whole images; left out: a fit to patches. */
  readonly cascade?: CascadePreset;
  /** Of the cascade. */
  readonly stages?: number;
  /** Left out: a GDN. */
  readonly secondNormalization?: SecondNormalization;
  /** Of a fit of layers, or of a cascade. */
  readonly greedy?: number;
  readonly protocol: string | null;
  readonly patch: number;
  readonly removeMean: boolean;
  readonly luminance: Luminance;
  readonly noise: boolean;
  /** Of white noise that is added, in pixels from 0 to 1; left out: none. */
  readonly noiseLevel?: number;
  readonly preprocessing: PreprocessingKind;
  readonly removeSaturated: boolean;
  readonly steps: number;
  /** Steps at which the fit ended before it was extended; left out: none. */
  readonly restarts?: readonly number[];
  readonly batch: number;
  readonly learningRate: number;
  readonly optimiser: OptimiserName;
  /** Of patches; cascades always are. */
  readonly certified?: boolean;
  readonly subspace: number;
  /** Of the model "gdn"; left out: a full γ. */
  readonly poolRank?: number;
  readonly heldOut: number;
  readonly patience: number;
  readonly seed: number;
  readonly fastMath: boolean;
  /** For pixels of images, in megabytes of 2²⁰; left out: 192. */
  readonly memory?: number;
}

export function readingOfTerms(terms: FitTerms): ImageReading {
  const { luminance, noise, noiseLevel, patch, removeMean } = terms;
  return {
    luminance,
    dequantize: noise,
    ...(noiseLevel === undefined ? {} : { noiseLevel }),
    layout: { size: patch, removeMean },
  };
}

/** As much of a set of images as a fit needs. */
export type SetOfFit = Pick<
  ImageSet,
  "images" | "given" | "load" | "fingerprint" | "readingPlan" | "windowFor"
>;

/** How many images may be in memory at once. */
export function windowOfTerms(
  { memory }: Pick<FitTerms, "memory">,
  set: Pick<ImageSet, "windowFor">,
): number {
  return set.windowFor(memory === undefined ? undefined : memory * 2 ** 20);
}

/** What fits of patches and of whole images are told alike; a fit that goes on knows its window. */
export function commonOptionsOf(
  terms: FitTerms,
  set: SetOfFit,
  window = windowOfTerms(terms, set),
) {
  const { preprocessing, steps, batch, learningRate, optimiser } = terms;
  const { heldOut, patience, seed, protocol, removeSaturated, restarts = [] } = terms;
  const { fingerprint: hash } = set;
  const origin: FitOrigin = { hash, images: set.given, protocol, removeSaturated };
  return {
    ...{ images: set.images.length, load: set.load, ...set.readingPlan(window), origin },
    ...{ preprocessing, steps, batch, learningRate, optimiser, heldOut, patience, seed },
    restarts,
  };
}

/** Returns the learning rate to try after a fit that failed: the default one, or a quarter of a rate that is no larger. */
export function rateToTry(terms: FitTerms): number {
  const { model, poolRank, learningRate, cascade, stages, optimiser } = terms;
  const defaults =
    cascade === undefined
      ? fitDefaults(model, patchDimension(readingOfTerms(terms).layout), poolRank)
      : imageFitDefaults(cascadeGeometry(cascade, { stages: stages as 1 | 2 }));
  const usual = optimiser === "sgd" ? Infinity : defaults.learningRate;
  return learningRate > usual ? usual : learningRate / 4;
}

/** What only fits of patches are told. */
export function patchOptionsOf(
  terms: FitTerms,
): Pick<
  ModelFitOptions,
  "model" | "layers" | "greedy" | "subspace" | "poolRank" | "certified" | "reading"
> {
  const { model, layers = 1, greedy = 0, subspace, poolRank = 0, certified = false } = terms;
  const reading = readingOfTerms(terms);
  return { model, layers, greedy, subspace, poolRank, certified, reading };
}

interface Check {
  /** "be a whole number …" */
  readonly rule: string;
  readonly isRight: (value: unknown) => boolean;
}

/** As long as any path. */
const longestText = 2 ** 15;

const truth: Check = { rule: "be true or false", isRight: (value) => typeof value === "boolean" };

function whole(least: number, most: number): Check {
  return {
    rule: `be a whole number from ${least} to ${most}`,
    isRight: (value) => Number.isSafeInteger(value) && isWithin(value, least, most),
  };
}

function within(least: number, most: number): Check {
  return {
    rule: `be a number from ${least} to ${most}`,
    isRight: (value) => isWithin(value, least, most),
  };
}

function oneOf(names: readonly string[]): Check {
  return {
    rule: `be one of ${names.join(", ")}`,
    isRight: (value) => typeof value === "string" && names.includes(value),
  };
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length <= longestText;
}

function isListOfSteps(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((step, k) => Number.isSafeInteger(step) && step > (k === 0 ? 0 : value[k - 1]))
  );
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.every(isText);
}

const checks: Readonly<Record<FieldOfTerms, Check>> = {
  images: { rule: "be a list of paths", isRight: isListOfTexts },
  model: oneOf(modelNames),
  layers: whole(1, 12),
  cascade: oneOf(Object.keys(cascadePresets)),
  stages: whole(1, 12),
  secondNormalization: oneOf(secondNormalizations),
  greedy: within(0, 1),
  protocol: {
    rule: "be the name of a protocol, or null",
    isRight: (value) => value === null || isText(value),
  },
  patch: whole(2, 32),
  removeMean: truth,
  luminance: oneOf(["grey", "linear"] satisfies Luminance[]),
  noise: truth,
  noiseLevel: within(Number.MIN_VALUE, Number.MAX_VALUE),
  preprocessing: oneOf(preprocessingKinds),
  removeSaturated: truth,
  steps: whole(1, Number.MAX_SAFE_INTEGER),
  restarts: { rule: "be increasing numbers of steps", isRight: isListOfSteps },
  batch: whole(1, 1e6),
  learningRate: within(Number.MIN_VALUE, Number.MAX_VALUE),
  optimiser: oneOf(optimiserNames),
  certified: truth,
  subspace: whole(1, 1024),
  poolRank: whole(1, largestRank),
  heldOut: within(0, 0.9),
  patience: whole(0, Number.MAX_SAFE_INTEGER),
  seed: whole(0, Number.MAX_SAFE_INTEGER),
  fastMath: truth,
  memory: within(Number.MIN_VALUE, 2 ** 30),
};

type FieldOfTerms = keyof {
  [K in keyof FitTerms as string extends K ? never : K]: FitTerms[K];
};

const optional: readonly FieldOfTerms[] = [
  ...(["layers", "cascade", "stages", "secondNormalization"] as const),
  ...(["greedy", "noiseLevel", "certified", "poolRank", "memory", "restarts"] as const),
];

/**
 * Terms from a file, which may say anything; nothing but their own fields is kept. `name` is what an error calls the file.
 *
 * @throws GaussianizeError that names the first field that is wrong
 */
export function requireFitTerms(value: unknown, name: string): FitTerms {
  if (typeof value !== "object" || value === null) {
    throw expected(`the terms of ${name}`, "be a record", value);
  }
  const given = value as Readonly<Record<string, unknown>>;
  const fields = Object.entries(checks).flatMap(([field, { rule, isRight }]) => {
    const found = Object.hasOwn(given, field) ? given[field] : undefined;
    if (found === undefined && optional.some((other) => other === field)) return [];
    if (!isRight(found)) throw expected(`${field} of ${name}`, rule, found);
    return [[field, found] as const];
  });
  return Object.fromEntries(fields) as unknown as FitTerms;
}
