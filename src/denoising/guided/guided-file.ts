/**
 * Guided densities as safetensors files: the parameters of all classes in one tensor each, the
 * first index being the class.
 */
import { GaussianizeError, describeValue, expected, inFile } from "../../errors.js";
import {
  type JsonObject,
  type JsonValue,
  checkedJson,
  isJsonObject,
  parseJson,
} from "../../density/model-files/json.js";
import { fileKind, guidedFormat } from "../../density/model-files/model-file.js";
import {
  type StoredTensor,
  locateTensors,
  readHeader,
  readValues,
} from "../../density/model-files/read-safetensors.js";
import { encodeSafetensors } from "../../density/model-files/safetensors.js";
import {
  type ExpertField,
  type GuidedDensities,
  type GuidedSettings,
  checkGuided,
  checkSettings,
  expertFields,
  expertLength,
  expertOf,
} from "./guided-density.js";
import { classCount } from "./patch-classes.js";

const version = "1";

export interface GuidedFileOptions {
  /**
   * Stores parameters as the nearest numbers of 16 bits: half the size, and the PSNR of denoised
   * pictures does not change in the second decimal. Default false.
   */
  readonly isHalf?: boolean;
}

/**
 * Returns the bytes of a file. The same densities give the same bytes. `about` tells readers how
 * they were fitted.
 */
export function encodeGuided(
  guided: GuidedDensities,
  about: JsonObject = {},
  { isHalf = false }: GuidedFileOptions = {},
): Uint8Array {
  checkGuided(guided);
  const { experts, ...settings } = guided;
  const side = guided.size * guided.size;
  const tensors = expertFields.map((field) => {
    const length = expertLength(field, side);
    const values = new Float32Array(experts.length * length);
    experts.forEach((expert, k) => {
      values.set(expert[field], k * length);
    });
    return { name: field, shape: shapeOf(field, side, experts.length), values, isHalf };
  });
  const texts = { settings, about: checkedJson(about, "about") };
  const metadata = Object.entries(texts).map(([key, value]) => [key, JSON.stringify(value)]);
  const bytes = encodeSafetensors(tensors, {
    format: guidedFormat,
    version,
    ...(Object.fromEntries(metadata) as Record<string, string>),
  });
  // A positive parameter may round to zero, which no reader would accept.
  if (isHalf) decode(bytes);
  return bytes;
}

export interface GuidedFile {
  readonly guided: GuidedDensities;
  readonly about: JsonObject;
}

/**
 * @throws GaussianizeError of one sentence that begins with `name`, for anything but complete and
 *   sound densities
 */
export function decodeGuided(bytes: Uint8Array, name = "the file"): GuidedFile {
  return inFile(name, () => decode(bytes));
}

function decode(bytes: Uint8Array): GuidedFile {
  const header = readHeader(bytes);
  const { metadata } = header;
  requireFormat(metadata);
  const settings = readSettings(metadata.settings);
  // Before anything is made of the size that they tell.
  checkSettings(settings);
  const tensors = locateTensors(header);
  const [n, classes] = [settings.size * settings.size, classCount(settings.bounds)];
  const all = expertOf((field) => valuesOf(tensors.get(field), field, shapeOf(field, n, classes)));
  const experts = Array.from({ length: classes }, (_, k) =>
    expertOf((field) => {
      const length = expertLength(field, n);
      return all[field].slice(k * length, (k + 1) * length);
    }),
  );
  const guided = { ...settings, experts };
  checkGuided(guided);
  return { guided, about: readAbout(metadata.about) };
}

function requireFormat(metadata: JsonObject): void {
  if (metadata.format !== guidedFormat) {
    const what =
      metadata.format === fileKind.format
        ? "This is a model, not a file of guided densities."
        : "This is a safetensors file, but none of guided densities.";
    throw new GaussianizeError("unsupported-file", what);
  }
  if (metadata.version === version) return;
  throw new GaussianizeError(
    "unsupported-file",
    `The file has version ${describeValue(metadata.version)}; this program reads version "${version}".`,
  );
}

function shapeOf(field: ExpertField, n: number, classes: number): readonly number[] {
  return expertLength(field, n) === n ? [classes, n] : [classes, n, n];
}

function readAbout(text: JsonValue | undefined): JsonObject {
  const about = typeof text === "string" ? parseJson(text, "about") : {};
  if (!isJsonObject(about)) throw expected("about", "be a JSON object", about);
  return about;
}

function valuesOf(
  tensor: StoredTensor | undefined,
  field: string,
  shape: readonly number[],
): Float32Array {
  if (!tensor) throw expected("the tensors", `have one of the name ${field}`, "none");
  const isRight = ["F16", "F32"].includes(tensor.dtype) && tensor.shape.join() === shape.join();
  if (isRight) return readValues(tensor) as Float32Array;
  const received = `${tensor.shape.join("×")} ${tensor.dtype}`;
  throw expected(`the tensor ${field}`, `be ${shape.join("×")} F16 or F32`, received);
}

function readSettings(text: JsonValue | undefined): GuidedSettings {
  const settings = typeof text === "string" ? parseJson(text, "settings") : undefined;
  if (!isJsonObject(settings)) throw expected("settings", "be a JSON object", settings);
  const bounds = settings.bounds;
  if (!isJsonObject(bounds)) throw expected("bounds", "be a JSON object", bounds);
  return {
    size: numberOf(settings, "size"),
    noiseLevel: numberOf(settings, "noiseLevel"),
    scale: numberOf(settings, "scale"),
    shift: numberOf(settings, "shift"),
    bounds: {
      strengths: numbersOf(bounds, "strengths"),
      coherences: numbersOf(bounds, "coherences"),
    },
  };
}

function numberOf(record: JsonObject, key: string): number {
  const value = record[key];
  if (typeof value === "number") return value;
  throw expected(key, "be a number", value);
}

function numbersOf(record: JsonObject, key: string): readonly number[] {
  const value = record[key];
  const isList = Array.isArray(value) && value.every((item) => typeof item === "number");
  if (isList) return value;
  throw expected(key, "be a list of numbers", value);
}
