/** A model as users keep it: a transform, and what is known about where it comes from. */
import { GaussianizeError, expected } from "../../errors.js";
import type { Luminance } from "../../images/luminance.js";
import type { ImageCascade } from "../../transforms/image-cascade.js";
import type { Transform } from "../../transforms/transform.js";
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

/** What a model file may hold. */
export type AnyModel = Model | ImageModel;

export function isImageModel(model: AnyModel): model is ImageModel {
  return model.transform.kind === "image-cascade";
}

/** For callers who work on patches; `name` is that of the model. */
export function requirePatchModel(model: AnyModel, name = "the model"): Model {
  if (!isImageModel(model)) return model;
  throw new GaussianizeError(
    "invalid-argument",
    `Expected ${name} to be a model of patches, but it is one of whole images.`,
    { argument: name },
  );
}

/** For callers who work on whole images. */
export function requireImageModel(model: AnyModel, name = "the model"): ImageModel {
  if (isImageModel(model)) return model;
  throw new GaussianizeError(
    "invalid-argument",
    `Expected ${name} to be a model of whole images, but it is one of patches.`,
  );
}

/** How samples are pictures. */
export interface PatchAbout extends JsonObject {
  readonly width: number;
  readonly height: number;
  /** The values that are shown as black and as white. */
  readonly black?: number;
  readonly white?: number;
  /** How a pixel of an image becomes a value; left out: grey. */
  readonly luminance?: Luminance;
  /** Whether the patch lost its mean, and with it its last pixel: N = width · height − 1. */
  readonly removeMean?: boolean;
}

/** Everything is optional. Further keys are kept as they are, as long as they are JSON. */
export interface ModelAbout extends JsonObject {
  readonly name?: string;
  /** The patch whose pixels the components are, or were before a preprocessing. */
  readonly patch?: PatchAbout;
  /** What was done to images before the transform. */
  readonly preprocessing?: JsonObject & {
    /** Whether the codes of the pixels were spread by uniform noise. */
    readonly dequantization?: "uniform" | "none";
    /**
     * Standard deviation of the white noise that was added to the pixels: the density is one of
     * noisy patches.
     */
    readonly noiseLevel?: number;
    /**
     * How many stages of the transform, from the first, are preprocessing: ΔJ counts from what
     * comes out of them.
     */
    readonly stages?: number;
  };
  /** What the model was fitted to. */
  readonly data?: JsonObject & { readonly description?: string; readonly hash?: string };
  readonly seed?: number | string;
  readonly training?: JsonObject & {
    readonly steps?: number;
    /** Samples of a step. */
    readonly batch?: number;
    /** One record for each time that progress was noted. */
    readonly history?: readonly JsonObject[];
  };
  /** Final figures, with the unit in the name: negentropyInNats … */
  readonly figures?: Readonly<Record<string, number>>;
}

/** What a model file says under these names is not about the model. */
export const reservedKeys: readonly string[] = ["format", "version", "transform"];

interface KnownKey {
  readonly path: readonly string[];
  readonly rule: string;
  readonly isAllowed: (value: JsonValue) => boolean;
  /** Required where the record it belongs to is there. */
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

/** A record stands before what is in it. */
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

/**
 * A checked copy with its keys in order; throws an error that names the key, its value and the
 * rule.
 */
export function checkedAbout(about: unknown): ModelAbout {
  const copy = checkedJson(about, "about");
  if (!isJsonObject(copy)) throw expected("about", "be a record", about);
  const reserved = reservedKeys.find((key) => Object.hasOwn(copy, key));
  if (reserved !== undefined) {
    throw expected("about", `leave the keys ${reservedKeys.join(", ")} to the file`, reserved);
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

/** Not what an object inherits. */
function valueOf(record: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
