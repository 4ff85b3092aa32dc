/** A model as users keep it: a transform, and what is known about where it comes from. */
import { GaussianizeError, expected } from "../../errors.js";
import type { Luminance } from "../../images/luminance.js";
import type { ImageCascade } from "../../transforms/image-cascade.js";
import type { Transform } from "../../transforms/transform.js";
import { type AnyMixture, isMixture } from "../mixtures/mixture.js";
import { type JsonObject, type JsonValue, checkedJson, isJsonObject } from "./json.js";

export interface Model {
  readonly transform: Transform;
  readonly about: ModelAbout;
}

/** A density of whole images (paper §4.3); `about.patch` is a block of stride × stride pixels. */
export interface ImageModel {
  readonly transform: ImageCascade;
  readonly about: ModelAbout;
}

/** A mixture of densities of patches, or of any vectors of numbers. */
export interface MixtureModel {
  readonly transform: AnyMixture;
  readonly about: ModelAbout;
}

/** A model of patches: a transform or a mixture. */
export type PatchModel = Model | MixtureModel;

/** A model of patches or of whole images. */
export type AnyModel = PatchModel | ImageModel;

export function isImageModel(model: AnyModel): model is ImageModel {
  return model.transform.kind === "image-cascade";
}

export function isMixtureModel(model: AnyModel): model is MixtureModel {
  return isMixture(model.transform);
}

/** Returns the error of a pass that needs y = g(x), given a mixture. */
export function noSingleTransform(need: string, name?: string): GaussianizeError {
  const subject = name === undefined ? "" : `${name} is a mixture. `;
  return new GaussianizeError(
    "invalid-argument",
    `${subject}A mixture has no single transform y = g(x), and ${need}.`,
    { argument: name },
  );
}

export function notAMixture(): GaussianizeError {
  return new GaussianizeError(
    "invalid-argument",
    "Expected the model to be a mixture, since only mixtures have responsibilities.",
  );
}

/** Rejects models of whole images, and mixtures. */
export function requirePatchModel(model: AnyModel, name = "the model"): Model {
  if (isMixtureModel(model)) throw noSingleTransform("a model with one is needed here", name);
  if (!isImageModel(model)) return model;
  throw new GaussianizeError(
    "invalid-argument",
    `Expected ${name} to be a model of patches, but it is one of whole images.`,
    { argument: name },
  );
}

/** Rejects models of patches. */
export function requireImageModel(model: AnyModel, name = "the model"): ImageModel {
  if (isImageModel(model)) return model;
  throw new GaussianizeError(
    "invalid-argument",
    `Expected ${name} to be a model of whole images, but it is one of patches.`,
  );
}

/** Shape and meaning of a patch. */
export interface PatchAbout extends JsonObject {
  readonly width: number;
  readonly height: number;
  /** Value displayed as black. */
  readonly black?: number;
  /** Value displayed as white. */
  readonly white?: number;
  /** Conversion of pixels into values; default grey. */
  readonly luminance?: Luminance;
  /** Whether the mean and the last pixel are removed: N = width · height − 1. */
  readonly removeMean?: boolean;
}

/** Description of a model. Everything is optional; other keys are kept if they are JSON. */
export interface ModelAbout extends JsonObject {
  readonly name?: string;
  /** The patch that the components are the pixels of. */
  readonly patch?: PatchAbout;
  /** Processing of images before the transform. */
  readonly preprocessing?: JsonObject & {
    /** Whether dequantisation noise was added. */
    readonly dequantization?: "uniform" | "none";
    /** Noise level σ of the white noise added to the pixels, for a density of noisy patches. */
    readonly noiseLevel?: number;
    /** Number of first stages that are preprocessing; ΔJ is computed from their output. */
    readonly stages?: number;
  };
  /** Training data. */
  readonly data?: JsonObject & { readonly description?: string; readonly hash?: string };
  readonly seed?: number | string;
  readonly training?: JsonObject & {
    readonly steps?: number;
    /** Samples per step. */
    readonly batch?: number;
    /** Records of the progress. */
    readonly history?: readonly JsonObject[];
  };
  /** Final figures, with the unit in the name: negentropyInNats … */
  readonly figures?: Readonly<Record<string, number>>;
}

/** Keys of the metadata of a model file that are not part of `about`. */
export const reservedKeys: readonly string[] = ["format", "version", "transform"];

interface KnownKey {
  readonly path: readonly string[];
  readonly rule: string;
  readonly isAllowed: (value: JsonValue) => boolean;
  /** Whether the record that contains the key must have it. */
  readonly required?: boolean;
}

const isText = (value: JsonValue): boolean => typeof value === "string";
const isCount = (value: JsonValue): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const isCountOrZero = (value: JsonValue): boolean => value === 0 || isCount(value);
const isNumber = (value: JsonValue): boolean => typeof value === "number";
const isPositive = (value: JsonValue): boolean => isNumber(value) && Number(value) > 0;
const isSeed = (value: JsonValue): boolean => isNumber(value) || isText(value);
const isFlag = (value: JsonValue): boolean => typeof value === "boolean";
const isDequantization = (value: JsonValue): boolean => value === "uniform" || value === "none";
const isLuminance = (value: JsonValue): boolean => value === "grey" || value === "linear";
const isListOfRecords = (value: JsonValue): boolean =>
  Array.isArray(value) && value.every((item: JsonValue) => isJsonObject(item));
const isRecordOfNumbers = (value: JsonValue): boolean =>
  isJsonObject(value) && Object.values(value).every((item) => isNumber(item ?? null));

/** Records come before their keys. */
const knownKeys: readonly KnownKey[] = [
  { path: ["name"], rule: "be a text", isAllowed: isText },
  { path: ["patch"], rule: "be a record", isAllowed: isJsonObject },
  { path: ["patch", "width"], rule: "be a positive integer", isAllowed: isCount, required: true },
  { path: ["patch", "height"], rule: "be a positive integer", isAllowed: isCount, required: true },
  { path: ["patch", "black"], rule: "be a number", isAllowed: isNumber },
  { path: ["patch", "white"], rule: "be a number", isAllowed: isNumber },
  { path: ["patch", "luminance"], rule: 'be "grey" or "linear"', isAllowed: isLuminance },
  { path: ["patch", "removeMean"], rule: "be true or false", isAllowed: isFlag },
  { path: ["preprocessing"], rule: "be a record", isAllowed: isJsonObject },
  {
    path: ["preprocessing", "dequantization"],
    rule: 'be "uniform" or "none"',
    isAllowed: isDequantization,
  },
  {
    path: ["preprocessing", "stages"],
    rule: "be an integer, 0 or more",
    isAllowed: isCountOrZero,
  },
  {
    path: ["preprocessing", "noiseLevel"],
    rule: "be a positive number",
    isAllowed: isPositive,
  },
  { path: ["data"], rule: "be a record", isAllowed: isJsonObject },
  { path: ["data", "description"], rule: "be a text", isAllowed: isText },
  { path: ["data", "hash"], rule: "be a text", isAllowed: isText },
  { path: ["seed"], rule: "be a number or a text", isAllowed: isSeed },
  { path: ["training"], rule: "be a record", isAllowed: isJsonObject },
  { path: ["training", "steps"], rule: "be an integer, 0 or more", isAllowed: isCountOrZero },
  { path: ["training", "batch"], rule: "be a positive integer", isAllowed: isCount },
  { path: ["training", "history"], rule: "be a list of records", isAllowed: isListOfRecords },
  { path: ["figures"], rule: "be a record of numbers", isAllowed: isRecordOfNumbers },
];

/** Returns a checked copy with sorted keys; throws an error that names a wrong key. */
export function checkedAbout(about: unknown): ModelAbout {
  const copy = checkedJson(about, "about");
  if (!isJsonObject(copy)) throw expected("about", "be a record", about);
  const reserved = reservedKeys.find((key) => Object.hasOwn(copy, key));
  if (reserved !== undefined) {
    throw expected("about", `not have the keys ${reservedKeys.join(", ")}`, reserved);
  }
  for (const { path, rule, isAllowed, required = false } of knownKeys) {
    const owner = path.length === 1 ? copy : valueOf(copy, path[0]);
    if (!isJsonObject(owner)) continue;
    const value = valueOf(owner, path[path.length - 1]);
    if (value === undefined ? !required : isAllowed(value)) continue;
    throw expected(["about", ...path].join("."), rule, value);
  }
  return copy;
}

/** Returns a value of the record itself, not an inherited one. */
function valueOf(record: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
