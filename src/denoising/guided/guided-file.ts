/**
 * Guided densities as safetensors files: one tensor per parameter, its first index is the class.
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
import { type Tensor, encodeSafetensors } from "../../density/model-files/safetensors.js";
import {
  type GuidedDensities,
  type GuidedSettings,
  checkGuided,
  checkSettings,
  expertFields,
  expertLength,
  expertOf,
  expertShape,
} from "./guided-density.js";
import { classCount } from "./patch-classes.js";

const version = "1";

export interface GuidedFileOptions {
  /**
   * Rounds parameters to 16 bits, default false. This halves the size and changes the PSNR of
   * denoised pictures by less than 0.01 dB.
   */
  readonly isHalf?: boolean;
}

/** Returns the bytes of a file, the same for equal densities. `about` describes the fit. */
export function encodeGuided(
  guided: GuidedDensities,
  about: JsonObject = {},
  { isHalf = false }: GuidedFileOptions = {},
): Uint8Array {
  checkGuided(guided);
  const { last, ...rounds } = guided;
  const tensors = [
    ...tensorsOf(rounds, "", isHalf),
    ...(last ? tensorsOf(last, lastPrefix, isHalf) : []),
  ];
  const settings = { ...settingsOf(rounds), ...(last && { last: settingsOf(last) }) };
  const texts = { settings, about: checkedJson(about, "about") };
  const metadata = Object.entries(texts).map(([key, value]) => [key, JSON.stringify(value)]);
  const bytes = encodeSafetensors(tensors, {
    format: guidedFormat,
    version,
    ...(Object.fromEntries(metadata) as Record<string, string>),
  });
  // A positive parameter may round to zero, which readers reject.
  if (isHalf) decode(bytes);
  return bytes;
}

/** Begins the names of the tensors of the last round. */
const lastPrefix = "last.";

function settingsOf({ size, rings, noiseLevel, scale, shift, bounds }: GuidedDensities) {
  return { size, ...(rings !== undefined && { rings }), noiseLevel, scale, shift, bounds };
}

function tensorsOf(guided: GuidedDensities, prefix: string, isHalf: boolean): Tensor[] {
  const { experts } = guided;
  return expertFields(guided).map((field) => {
    const length = expertLength(field, guided);
    const values = new Float32Array(experts.length * length);
    experts.forEach((expert, k) => {
      values.set(expert[field] as Float32Array, k * length);
    });
    const shape = [experts.length, ...expertShape(field, guided)];
    return { name: prefix + field, shape, values, isHalf };
  });
}

export interface GuidedFile {
  readonly guided: GuidedDensities;
  readonly about: JsonObject;
}

/** @throws GaussianizeError that begins with `name` if the densities are incomplete or invalid */
export function decodeGuided(bytes: Uint8Array, name = "the file"): GuidedFile {
  return inFile(name, () => decode(bytes));
}

function decode(bytes: Uint8Array): GuidedFile {
  const header = readHeader(bytes);
  const { metadata } = header;
  requireFormat(metadata);
  const { last, ...settings } = readSettings(metadata.settings);
  const tensors = locateTensors(header);
  const rounds = readDensities(settings, tensors, "");
  const guided = last ? { ...rounds, last: readDensities(last, tensors, lastPrefix) } : rounds;
  checkGuided(guided);
  return { guided, about: readAbout(metadata.about) };
}

function readDensities(
  settings: GuidedSettings,
  tensors: ReturnType<typeof locateTensors>,
  prefix: string,
): GuidedDensities {
  const classes = classCount(settings.bounds);
  const all = expertOf(settings, (field) => {
    const shape = [classes, ...expertShape(field, settings)];
    return valuesOf(tensors.get(prefix + field), prefix + field, shape);
  });
  const experts = Array.from({ length: classes }, (_, k) =>
    expertOf(settings, (field) => {
      const length = expertLength(field, settings);
      return (all[field] as Float32Array).slice(k * length, (k + 1) * length);
    }),
  );
  return { ...settings, experts };
}

function requireFormat(metadata: JsonObject): void {
  if (metadata.format !== guidedFormat) {
    const what =
      metadata.format === fileKind.format
        ? "This is a model, not a file of guided densities."
        : "This safetensors file does not hold guided densities.";
    throw new GaussianizeError("unsupported-file", what);
  }
  if (metadata.version === version) return;
  throw new GaussianizeError(
    "unsupported-file",
    `The file has version ${describeValue(metadata.version)}; this program reads version "${version}".`,
  );
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
  if (!tensor) throw expected("the tensors", `include ${field}`, "none");
  const isRight = ["F16", "F32"].includes(tensor.dtype) && tensor.shape.join() === shape.join();
  if (isRight) return readValues(tensor) as Float32Array;
  const received = `${tensor.shape.join("×")} ${tensor.dtype}`;
  throw expected(`the tensor ${field}`, `be ${shape.join("×")} F16 or F32`, received);
}

type FileSettings = GuidedSettings & { readonly last?: GuidedSettings };

function readSettings(text: JsonValue | undefined): FileSettings {
  const read = typeof text === "string" ? parseJson(text, "settings") : undefined;
  const settings = checkedSettings(read);
  const last = (read as JsonObject).last;
  return last === undefined ? settings : { ...settings, last: checkedSettings(last) };
}

function checkedSettings(read: JsonValue | undefined): GuidedSettings {
  if (!isJsonObject(read) || !isJsonObject(read.bounds)) {
    throw expected("settings", "be a JSON object with bounds", read);
  }
  // Not trusted: the check comes before anything is allocated.
  const { size, rings, noiseLevel, scale, shift, bounds } = read as unknown as GuidedSettings;
  const { strengths, coherences } = bounds;
  const own = { size, noiseLevel, scale, shift, bounds: { strengths, coherences } };
  const settings = rings === undefined ? own : { ...own, rings };
  checkSettings(settings);
  return settings;
}
