/**
 * Models as files: safetensors, so that Python reads them with one line (docs/model-files.md). Parameters are kept bit for bit;
 * what is not a parameter is JSON in the metadata.
 */
import { GaussianizeError, describeValue, expected } from "../../errors.js";
import { cascade, stagesOf } from "../../transforms/cascade.js";
import { checkFields, markChecked } from "../../transforms/checks.js";
import { type Transform, checkedTransform, requireChecked } from "../../transforms/transform.js";
import {
  type JsonObject,
  type JsonValue,
  checkedJson,
  isJsonObject,
  memberName,
  parseJson,
} from "./json.js";
import { type Model, type ModelAbout, checkedAbout, reservedKeys } from "./model.js";
import {
  type SafetensorsHeader,
  type StoredTensor,
  locateTensors,
  readHeader,
} from "./read-safetensors.js";
import { encodeSafetensors } from "./safetensors.js";
import {
  type StageDescription,
  checkedDescription,
  describeStage,
  stageRecord,
  stageTensors,
  tensorNames,
} from "./stage-tensors.js";

/** What every model file begins to say; the version is raised when a program of before would read a file wrongly. */
export const fileKind = { format: "gaussianize", version: "1" } as const;
/** Of the densities of a second look (denoising/guided/guided-file.ts), which are no models by themselves. */
export const guidedFormat = "gaussianize-guided";
/** More is no model anybody fitted; each may cost seconds to check. */
const mostStages = 256;

/** The bytes of a model file; the same model gives the same bytes. */
export function encodeModel(model: Model): Uint8Array {
  const texts = Object.entries(describeModel(model)).map(
    ([key, value]) => [key, JSON.stringify(value)] as const,
  );
  const stages = stagesOf(requireChecked(model.transform));
  if (stages.length > mostStages) {
    throw expected("the transform", `have at most ${mostStages} stages`, stages.length);
  }
  const metadata = { ...fileKind, ...Object.fromEntries(texts) };
  return encodeSafetensors(stages.flatMap(stageTensors), metadata);
}

/** All that is not a parameter, as JSON; throws if the model is not sound. */
export function describeModel(model: Model): JsonObject {
  checkFields("a model", model, ["transform", "about"]);
  const transform = requireChecked(model.transform);
  const stages = stagesOf(transform).map(describeStage);
  const described = transform.kind === "cascade" ? { kind: "cascade", stages } : stages[0];
  return { transform: checkedJson(described, "transform"), ...checkedAbout(model.about) };
}

/**
 * The model of a file, every bit of its parameters as it was. Throws an error of one sentence, which begins with `name`, for
 * anything that is not a complete and sound model.
 */
export function decodeModel(bytes: Uint8Array, name = "the model file"): Model {
  const header = within(name, () => readModelHeader(bytes));
  const { about, kind, stages: listed } = within(name, () => readMetadata(header.metadata));
  const nameOf = (index: number): string => `${name}, stage ${index}`;
  const stages = listed.map((stage, k) => within(nameOf(k), () => checkedDescription(stage)));
  const tensors = within(name, () => locateTensors(header));
  within(name, () => {
    requireFit(stages, tensors);
  });
  const records = stages.map((stage, k) =>
    within(nameOf(k), () => stageRecord(stage, k, tensors) as unknown as Transform),
  );
  const built = records.map((record, k) => within(nameOf(k), () => checkedTransform(record)));
  return { transform: kind === "cascade" ? markChecked(cascade(built)) : built[0], about };
}

/** Says of an error in a file which file it is. */
function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    // Texts of the file are quoted: its line breaks and control characters must not reach a terminal.
    const sentence = `${name}: ${error.message}`.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
    throw new GaussianizeError(sentence, { cause: error });
  }
}

function readModelHeader(bytes: Uint8Array): SafetensorsHeader {
  if (!(bytes instanceof Uint8Array)) throw expected("the bytes", "be a Uint8Array", bytes);
  const header = readHeader(bytes);
  const { format, version } = header.metadata;
  if (format === guidedFormat) {
    throw new GaussianizeError(
      "These are guided densities, for the second round of denoising, and not a model.",
    );
  }
  if (format !== fileKind.format) {
    throw new GaussianizeError("This is a safetensors file, but not one of gaussianize.");
  }
  if (version === fileKind.version) return header;
  if (version === undefined) throw expected("the metadata", "have a version", version);
  throw new GaussianizeError(
    `The file has version ${describeValue(version)}; this program reads version "${fileKind.version}".`,
  );
}

interface ModelMetadata {
  readonly kind: JsonValue | undefined;
  /** Not looked at yet. */
  readonly stages: readonly JsonValue[];
  readonly about: ModelAbout;
}

function readMetadata(metadata: JsonObject): ModelMetadata {
  const text = metadata.transform;
  if (text === undefined) throw expected("the metadata", "have a transform", text);
  const transform = parseJson(text as string, "transform");
  if (!isJsonObject(transform)) throw expected("transform", "be a JSON object", transform);
  const others = Object.entries(metadata).filter(([key]) => !reservedKeys.includes(key));
  const parsed = others.map(
    ([key, value]) => [key, parseJson(value as string, memberName("about", key))] as const,
  );
  const about = checkedAbout(Object.fromEntries(parsed));
  const { kind, stages } = transform;
  if (kind !== "cascade") return { kind, stages: [transform], about };
  checkFields("transform", transform, ["kind", "stages"]);
  if (Array.isArray(stages) && stages.length >= 1 && stages.length <= mostStages) {
    return { kind, stages: stages as readonly JsonValue[], about };
  }
  const received = Array.isArray(stages) ? stages.length : stages;
  throw expected("a cascade", `have a list of 1 to ${mostStages} stages`, received);
}

/** The stages belong together, and their tensors are all there, and no others. */
function requireFit(
  stages: readonly StageDescription[],
  tensors: ReadonlyMap<string, StoredTensor>,
): void {
  const { dimension } = stages[0];
  const other = stages.findIndex((stage) => stage.dimension !== dimension);
  if (other >= 0) {
    const rule = `have the ${dimension} components of stage 0`;
    throw expected(`stage ${other}`, rule, stages[other].dimension);
  }
  const wanted = new Set(stages.flatMap(tensorNames));
  for (const name of wanted) {
    if (tensors.has(name)) continue;
    throw expected("the file", `have the tensor ${name}`, [...tensors.keys()]);
  }
  const extra = [...tensors.keys()].find((name) => !wanted.has(name));
  if (extra !== undefined) throw expected("every tensor", "belong to a stage", extra);
}
