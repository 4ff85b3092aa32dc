/** The terms of a fit: its options with all defaults, as `gaussianize fit` writes config.json. */
import type { JsonObject } from "../density/model-files/json.js";
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import type { ImageSet } from "../patches/image-set.js";
import { type CascadeGeometry, cascadeGeometry, cropSideOf } from "../training/cascade-geometry.js";
import {
  type ImageModelFit,
  type ImageModelFitOptions,
  fitImageModel,
} from "../training/fit-image-model.js";
import { type ModelFit, type ModelFitOptions, fitModel } from "../training/fit-model.js";
import type { FitAsked, FitOptionName, SettledOptions } from "../training/fit-options.js";
import type { CommonFitOptions } from "../training/image-fit.js";
import type { FitCheckpoint } from "../training/fit-transform.js";
import {
  defaultOf,
  namesExceptFor,
  optionNames,
  optionTable,
  settledOptions,
} from "../training/settle-options.js";
import type { FittedTransform } from "../transforms/side-by-side.js";

export interface FitTerms extends JsonObject, SettledOptions {
  /** Absolute paths, so that a run can be resumed from any folder. */
  readonly images: readonly string[];
  /** Steps at which the fit ended before it was extended; default none. */
  readonly restarts?: readonly number[];
}

/** Returns the terms of a fit to these images. */
export function fitTerms(asked: FitAsked, images: readonly string[]): FitTerms {
  return { images, ...settledOptions(asked) };
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

/** Returns the side of the patches or crops of a fit in pixels; images must not be smaller. */
export function leastSideOf(terms: FitTerms): number {
  return terms.cascade === undefined ? terms.patch : cropSideOf(geometryOf(terms));
}

function geometryOf({ cascade, stages }: FitTerms): CascadeGeometry {
  return cascadeGeometry(cascade, { stages: stages as 1 | 2 });
}

/** The part of an image set that a fit needs. */
export type SetOfFit = Pick<
  ImageSet,
  "images" | "given" | "load" | "fingerprint" | "readingPlan" | "windowFor"
>;

const bytesPerMegabyte = 2 ** 20;

/** Returns the number of images that may be in memory at once. */
export function windowOfTerms(
  { memory }: Pick<FitTerms, "memory">,
  set: Pick<ImageSet, "images" | "windowFor">,
): number {
  if (memory === undefined) return set.windowFor();
  const pixels = set.images.reduce((most, { width, height }) => Math.max(most, width * height), 0);
  const least = (4 * pixels) / bytesPerMegabyte;
  if (memory >= least) return set.windowFor(memory * bytesPerMegabyte);
  const rule = `be at least ${(Math.ceil(100 * least) / 100).toFixed(2)} MB (the largest image)`;
  throw expected("memory", rule, memory);
}

/** Listeners of a fit, and the checkpoint it resumes from. */
export interface FitListener extends Omit<
  CommonFitOptions<FittedTransform>,
  FitOptionName | "images" | "load" | "restarts" | "origin" | "window" | "runs" | "resume"
> {
  readonly resume?: <T extends FittedTransform>(
    start: T,
  ) => FitCheckpoint<T> | null | Promise<FitCheckpoint<T> | null>;
}

/** Fits a density of patches or of whole images; a resumed fit passes its `window`. */
export function fitWithTerms(
  runner: TaskRunner,
  terms: FitTerms,
  set: SetOfFit,
  listener: FitListener,
  window = windowOfTerms(terms, set),
): Promise<ModelFit | ImageModelFit> {
  return terms.cascade === undefined
    ? fitModel(runner, { ...patchFitOptions(terms, set, window), ...listener })
    : fitImageModel(runner, { ...imageFitOptions(terms, set, window), ...listener });
}

/** Returns the options of fitModel for terms of patches. */
export function patchFitOptions(
  terms: FitTerms,
  set: SetOfFit,
  window = windowOfTerms(terms, set),
): ModelFitOptions {
  const { model } = terms;
  const options = valuesOf(terms, namesExceptFor("cascades"));
  return { ...options, model, ...imagesOf(terms, set, window), reading: readingOfTerms(terms) };
}

function imageFitOptions(terms: FitTerms, set: SetOfFit, window: number): ImageModelFitOptions {
  const names = namesExceptFor("patches").filter((name) => name !== "cascade" && name !== "stages");
  const [reading, geometry] = [readingOfTerms(terms), geometryOf(terms)];
  return { ...valuesOf(terms, names), ...imagesOf(terms, set, window), geometry, reading };
}

/** Returns the options of terms, including omitted ones. */
function valuesOf<Name extends FitOptionName>(
  terms: FitTerms,
  names: readonly Name[],
): Pick<FitAsked, Name> {
  const values = names.map((name) => [name, terms[name] ?? optionTable[name].absent] as const);
  return Object.fromEntries(values) as Pick<FitAsked, Name>;
}

function imagesOf(terms: FitTerms, set: SetOfFit, window: number) {
  const { protocol, removeSaturated, restarts = [] } = terms;
  return {
    images: set.images.length,
    load: set.load,
    ...set.readingPlan(window),
    origin: { hash: set.fingerprint, images: set.given, protocol, removeSaturated },
    restarts,
  };
}

/** Returns the rate to try after a failed fit: the default, or a quarter of a rate below it. */
export function rateToTry(terms: FitTerms): number {
  const { learningRate, optimiser } = terms;
  const usual = optimiser === "sgd" ? Infinity : Number(defaultOf("learningRate", terms));
  return learningRate > usual ? usual : learningRate / 4;
}

/** Returns the options in which terms differ from the defaults. */
export function askedOf(terms: FitTerms): FitAsked {
  const others = optionNames.flatMap((name) => {
    const { absent } = optionTable[name];
    const value = terms[name] ?? absent;
    // An option without a default does not apply to this fit.
    return value === (defaultOf(name, terms) ?? absent) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(others);
}

/** Returns the flags of `gaussianize fit` for these options, in order. */
export function flagsOf(asked: FitAsked): readonly string[] {
  return (Object.keys(asked) as FitOptionName[]).flatMap((name) => {
    const [flag, value] = [flagOf(name), asked[name]];
    if (value === undefined || value === null) return [];
    if (typeof value !== "boolean") return [`${flag} ${flagValue(name, value)}`];
    return value === flag.startsWith("--no-") ? [] : [flag];
  });
}

/** Returns the flag of an option without its value: "--rate". */
export function flagOf(name: FitOptionName): string {
  return optionTable[name].flag.replace(/ .*$/, "");
}

/** Digits that survive a conversion of units and back. */
const digitsOfUnits = 12;

/** Returns a value in the units of its flag. */
export function flagValue(name: FitOptionName, value: string | number): string {
  const { flagUnits = 1 } = optionTable[name];
  if (typeof value === "string" || flagUnits === 1) return String(value);
  return String(Number((value * flagUnits).toPrecision(digitsOfUnits)));
}

/** Longest path. */
const longestText = 2 ** 15;

function isListOfSteps(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((step, k) => Number.isSafeInteger(step) && step > (k === 0 ? 0 : value[k - 1]))
  );
}

function isListOfPaths(value: unknown): boolean {
  const isPath = (path: unknown) => typeof path === "string" && path.length <= longestText;
  return Array.isArray(value) && value.length >= 1 && value.every(isPath);
}

/** Whether terms always contain an option. */
function isRequired(name: FitOptionName): boolean {
  return defaultOf(name, {}) !== undefined && optionTable[name].absent === undefined;
}

/**
 * Checks terms from an untrusted file, and drops unknown fields; errors call the file `name`.
 *
 * @throws GaussianizeError that names the first wrong field
 */
export function requireFitTerms(value: unknown, name: string): FitTerms {
  if (typeof value !== "object" || value === null) {
    throw expected(`the terms of ${name}`, "be a record", value);
  }
  const fieldOf = (field: string): unknown =>
    Object.hasOwn(value, field) ? value[field as keyof typeof value] : undefined;
  const images = fieldOf("images");
  if (!isListOfPaths(images)) throw expected(`images of ${name}`, "be a list of paths", images);
  const options = optionNames.flatMap((option) => {
    const found = fieldOf(option);
    if (found === undefined && !isRequired(option)) return [];
    const { rule, isRight } = optionTable[option].values;
    if (!isRight(found)) throw expected(`${option} of ${name}`, rule, found);
    return [[option, found] as const];
  });
  const restarts = fieldOf("restarts");
  if (restarts !== undefined && !isListOfSteps(restarts)) {
    throw expected(`restarts of ${name}`, "be increasing numbers of steps", restarts);
  }
  const found = {
    images,
    ...Object.fromEntries(options),
    ...(restarts !== undefined && { restarts }),
  };
  return found as unknown as FitTerms;
}
