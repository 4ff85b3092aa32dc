/**
 * Model files in safetensors format, which Python reads with one line (docs/model-files.md).
 * Parameters are stored bit for bit; everything else is JSON in the metadata.
 */
import { GaussianizeError, describeValue, expected, inFile } from "../../errors.js";
import { stagesOf } from "../../transforms/cascade.js";
import { checkFields } from "../../transforms/checks.js";
import { type Convolution, requireConvolution } from "../../transforms/convolution.js";
import { requireStride } from "../../transforms/field.js";
import {
  type ImageCascade,
  type ImageStage,
  imageCascade,
  isConvolution,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import type { StageDescription } from "../../transforms/stage-kind.js";
import { checkedTransform, requireChecked } from "../../transforms/checked-transform.js";
import type { Transform } from "../../transforms/transform.js";
import { stagesOfMixture } from "../mixtures/leaves.js";
import { isMixture, requireMixture } from "../mixtures/mixture.js";
import {
  type JsonObject,
  type JsonValue,
  checkedJson,
  isJsonObject,
  memberName,
  parseJson,
} from "./json.js";
import {
  OutlineReader,
  type TransformOutline,
  builtFrom,
  describeComponent,
  transformsIn,
  weightNames,
  weightTensors,
} from "./mixture-description.js";
import { type AnyModel, type ModelAbout, checkedAbout, reservedKeys } from "./model.js";
import {
  type SafetensorsHeader,
  type StoredTensor,
  locateTensors,
  readHeader,
} from "./read-safetensors.js";
import { type Tensor, encodeSafetensors } from "./safetensors.js";
import {
  checkedDescription,
  componentsOf,
  describeStage,
  stageRecord,
  stageTensors,
  tensorNames,
} from "./stage-tensors.js";

/** Format and version of a model file. A new version means that old programs cannot read it. */
export const fileKind = { format: "gaussianize", version: "1" } as const;
/** Format of guided densities (denoising/guided/guided-file.ts). */
export const guidedFormat = "gaussianize-guided";
/** Format of checkpoints of a fit (training/checkpoint-file.ts). */
export const checkpointFormat = "gaussianize-checkpoint";
/** Most stages: enough for 64 components of 12 layers with couplings, which have 2,944. */
const mostStages = 4096;

/**
 * Encodes a model as a file; the same model gives the same bytes.
 *
 * @example
 * ```js
 * import { decodeModel, encodeModel, linear } from "gaussianize";
 *
 * const transform = linear({ dimension: 2, H: [1, 0.5, 0, 1] });
 * const bytes = encodeModel({ transform, about: { name: "sheared" } });
 * console.log(decodeModel(bytes).about.name); // sheared
 * ```
 */
export function encodeModel(model: AnyModel): Uint8Array {
  const texts = Object.entries(describeModel(model)).map(
    ([key, value]) => [key, JSON.stringify(value)] as const,
  );
  const stages = soundStages(model);
  if (stages.length > mostStages) {
    throw expected("the transform", `have at most ${mostStages} stages`, stages.length);
  }
  const metadata = { ...fileKind, ...Object.fromEntries(texts) };
  return encodeSafetensors([...stages.flatMap(stageTensors), ...weightsOf(model)], metadata);
}

/** Returns the tensors of a checked model that do not belong to a stage. */
export function weightsOf({ transform }: AnyModel): readonly Tensor[] {
  return isMixture(transform) ? weightTensors(requireMixture(transform)) : [];
}

/** Returns everything but the parameters as JSON; throws if the model is invalid. */
export function describeModel(model: AnyModel): JsonObject {
  checkFields("a model", model, ["transform", "about"]);
  const stages = soundStages(model).map(describeStage);
  const described = describeTransform(model.transform, stages);
  return { transform: checkedJson(described, "transform"), ...checkedAbout(model.about) };
}

function describeTransform(
  transform: AnyModel["transform"],
  stages: readonly StageDescription[],
): object {
  const { kind } = transform;
  if (kind === "image-cascade") return { kind, stride: transform.stride, stages };
  // A record of the caller may lack what the constructor fills in.
  const sound = isMixture(transform) ? requireMixture(transform) : transform;
  return describeComponent(sound, [...stages]);
}

/** Returns the checked stages of a model, in the order of its file. */
export function soundStages({ transform }: AnyModel): readonly ImageStage[] {
  const kind = (transform as Partial<AnyModel["transform"]> | null | undefined)?.kind;
  if (kind === "image-cascade") return requireImageCascade(transform as ImageCascade).stages;
  if (kind !== undefined && isMixture(transform)) {
    return stagesOfMixture(requireMixture(transform));
  }
  return stagesOf(requireChecked(transform as Transform));
}

/**
 * Decodes a model file, with the same bits as it was encoded from. Throws an error that begins with
 * `name` if the file is not a complete and valid model.
 *
 * @example
 * ```js
 * import { decodeModel } from "gaussianize";
 * import { readFile } from "node:fs/promises";
 *
 * const folder = import.meta.resolve("gaussianize/package.json");
 * const bytes = await readFile(new URL("models/kodak16-rg.safetensors", folder));
 * const { transform } = decodeModel(bytes);
 * console.log(transform.kind, transform.dimension); // cascade 256
 * ```
 */
export function decodeModel(bytes: Uint8Array, name = "the model file"): AnyModel {
  const header = inFile(name, () => readModelHeader(bytes));
  const metadata = inFile(name, () => readMetadata(header.metadata));
  const { about, outline, stride } = metadata;
  const nameOf = (index: number): string => `${name}, stage ${index}`;
  const stages = transformsIn(outline).flatMap(({ first, stages: own }) =>
    own.map((stage, k) =>
      inFile(nameOf(first + k), () => checkedDescription(stage, stride !== undefined)),
    ),
  );
  const tensors = inFile(name, () => locateTensors(header));
  inFile(name, () => {
    requireFit(outline, stages, tensors, stride);
  });
  const records = stages.map((stage, k) =>
    inFile(nameOf(k), () => stageRecord(stage, k, tensors) as unknown as Transform | Convolution),
  );
  const built = records.map((record, k) => inFile(nameOf(k), () => checkedStage(record)));
  if (stride !== undefined) return { transform: imageCascade({ stride, stages: built }), about };
  const transforms = built as readonly Transform[];
  const transform = inFile(name, () => builtFrom(outline, transforms, tensors));
  return { transform, about } as AnyModel;
}

function checkedStage(record: Transform | Convolution): Transform | Convolution {
  return isConvolution(record) ? requireConvolution(record) : checkedTransform(record);
}

function readModelHeader(bytes: Uint8Array): SafetensorsHeader {
  if (!(bytes instanceof Uint8Array)) throw expected("the bytes", "be a Uint8Array", bytes);
  const header = readHeader(bytes);
  const { format, version } = header.metadata;
  if (format === guidedFormat) {
    throw new GaussianizeError(
      "unsupported-file",
      "These are guided densities for the second round of denoising, not a model.",
    );
  }
  if (format === checkpointFormat) {
    throw new GaussianizeError(
      "unsupported-file",
      "This is a checkpoint of a fit, not a model: resume the fit (gaussianize fit --resume), or use model.safetensors or preview.safetensors of the same folder.",
    );
  }
  if (format !== fileKind.format) {
    throw new GaussianizeError(
      "unsupported-file",
      "This is a safetensors file, but not a gaussianize model.",
    );
  }
  if (version === fileKind.version) return header;
  if (version === undefined) throw expected("the metadata", "have a version", version);
  throw new GaussianizeError(
    "unsupported-file",
    `The file has version ${describeValue(version)}; this program reads version "${fileKind.version}".`,
  );
}

interface ModelMetadata {
  /** Stride of a cascade of whole images. */
  readonly stride?: number;
  /** The structure; its stages are not checked yet. */
  readonly outline: TransformOutline;
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
  const { kind } = transform;
  if (kind !== "image-cascade") return { outline: readOutline(transform), about };
  checkFields("transform", transform, ["kind", "stride", "stages"]);
  const stride = transform.stride as number;
  requireStride(stride);
  const stages = listedStages(transform);
  return { stride, outline: { kind: "transform", isCascade: true, first: 0, stages }, about };
}

function readOutline(transform: JsonObject): TransformOutline {
  const outline = new OutlineReader(listedStages).read(transform, "transform");
  const count = transformsIn(outline).reduce((sum, { stages }) => sum + stages.length, 0);
  if (count <= mostStages) return outline;
  throw expected("a mixture", `have at most ${mostStages} stages in total`, count);
}

function listedStages({ stages }: JsonObject): readonly JsonValue[] {
  if (Array.isArray(stages) && stages.length >= 1 && stages.length <= mostStages) {
    return stages as readonly JsonValue[];
  }
  const received = Array.isArray(stages) ? stages.length : stages;
  throw expected("a cascade", `have a list of 1 to ${mostStages} stages`, received);
}

/** Checks that the stages fit together, and that their tensors, and no others, are present. */
function requireFit(
  outline: TransformOutline,
  stages: readonly StageDescription[],
  tensors: ReadonlyMap<string, StoredTensor>,
  stride?: number,
): void {
  for (const part of transformsIn(outline)) {
    const end = part.first + part.stages.length;
    requireEqualComponents(stages.slice(part.first, end), part.first, stride);
  }
  const wanted = new Set([...stages.flatMap(tensorNames), ...weightNames(outline)]);
  for (const name of wanted) {
    if (tensors.has(name)) continue;
    throw expected("the file", `have the tensor ${name}`, [...tensors.keys()]);
  }
  const extra = [...tensors.keys()].find((name) => !wanted.has(name));
  if (extra !== undefined) throw expected("every tensor", "belong to a stage", extra);
}

/** Checks the stages of one transform; `first` is the number of the first one in the file. */
function requireEqualComponents(
  stages: readonly StageDescription[],
  first: number,
  stride?: number,
): void {
  const components = stride === undefined ? componentsOf(stages[0]) : stride * stride;
  const other = stages.findIndex((stage) => componentsOf(stage) !== components);
  if (other < 0) return;
  const rule =
    stride === undefined
      ? `have the ${components} components of stage ${first}`
      : `have ${components} maps, stride squared`;
  throw expected(`stage ${first + other}`, rule, componentsOf(stages[other]));
}
