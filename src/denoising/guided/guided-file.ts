/** Guided densities as safetensors files: the parameters of all classes in one tensor each, the first index being the class. */
import { GaussianizeError, expected } from "../../errors.js";
import {
  type JsonObject,
  type JsonValue,
  checkedJson,
  isJsonObject,
  parseJson,
} from "../../density/model-files/json.js";
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
  checkGuided,
  expertFields,
  expertLength,
  expertOf,
} from "./guided-density.js";
import { classCount } from "./patch-classes.js";

const format = "gaussianize-guided";
const version = "1";

/** The same densities give the same bytes. `about` is what people want to know of them, such as how they were fitted. */
export function encodeGuided(guided: GuidedDensities, about: JsonObject = {}): Uint8Array {
  checkGuided(guided);
  const { experts, ...settings } = guided;
  const side = guided.size ** 2;
  const tensors = expertFields.map((field) => {
    const length = expertLength(field, side);
    const values = new Float32Array(experts.length * length);
    experts.forEach((expert, k) => {
      values.set(expert[field], k * length);
    });
    const shape = length === side ? [experts.length, side] : [experts.length, side, side];
    return { name: field, shape, values };
  });
  const texts = { settings, about: checkedJson(about, "about") };
  const metadata = Object.entries(texts).map(([key, value]) => [key, JSON.stringify(value)]);
  return encodeSafetensors(tensors, {
    format,
    version,
    ...(Object.fromEntries(metadata) as Record<string, string>),
  });
}

/** @throws GaussianizeError of one sentence that begins with `name`, for anything but complete and sound densities */
export function decodeGuided(bytes: Uint8Array, name = "the file"): GuidedDensities {
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    throw new GaussianizeError(`${name}: ${error.message}`, { cause: error });
  }
}

function decode(bytes: Uint8Array): GuidedDensities {
  const header = readHeader(bytes);
  const { metadata } = header;
  if (metadata.format !== format || metadata.version !== version) {
    throw new GaussianizeError("This is no file of guided densities that this program can read.");
  }
  const settings = readSettings(metadata.settings);
  const tensors = locateTensors(header);
  const classes = classCount(settings.bounds);
  const lengthOf = (field: ExpertField): number => expertLength(field, settings.size ** 2);
  const all = expertOf((field) => valuesOf(tensors.get(field), field, classes * lengthOf(field)));
  const experts = Array.from({ length: classes }, (_, k) =>
    expertOf((field) => all[field].slice(k * lengthOf(field), (k + 1) * lengthOf(field))),
  );
  const guided = { ...settings, experts };
  checkGuided(guided);
  return guided;
}

function valuesOf(tensor: StoredTensor | undefined, field: string, length: number): Float32Array {
  if (!tensor) throw expected("the tensors", `have one of the name ${field}`, "none");
  const values = readValues(tensor);
  if (values instanceof Float32Array && values.length === length) return values;
  throw expected(`the tensor ${field}`, `hold ${length} values F32`, tensor.shape);
}

function readSettings(text: JsonValue | undefined): Omit<GuidedDensities, "experts"> {
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
