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
  // A positive parameter may round to zero, which readers reject.
  if (isHalf) decode(bytes);
  return bytes;
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
  const settings = readSettings(metadata.settings);
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
        : "This safetensors file does not hold guided densities.";
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
  if (!tensor) throw expected("the tensors", `include ${field}`, "none");
  const isRight = ["F16", "F32"].includes(tensor.dtype) && tensor.shape.join() === shape.join();
  if (isRight) return readValues(tensor) as Float32Array;
  const received = `${tensor.shape.join("×")} ${tensor.dtype}`;
  throw expected(`the tensor ${field}`, `be ${shape.join("×")} F16 or F32`, received);
}

function readSettings(text: JsonValue | undefined): GuidedSettings {
  const read = typeof text === "string" ? parseJson(text, "settings") : undefined;
  if (!isJsonObject(read) || !isJsonObject(read.bounds)) {
    throw expected("settings", "be a JSON object with bounds", read);
  }
  // Not trusted: the check comes before anything is allocated.
  const { size, noiseLevel, scale, shift, bounds } = read as unknown as GuidedSettings;
  const { strengths, coherences } = bounds;
  const settings = { size, noiseLevel, scale, shift, bounds: { strengths, coherences } };
  checkSettings(settings);
  return settings;
}
