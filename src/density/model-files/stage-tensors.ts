/**
 * The stages of a model file: their descriptions in JSON, and their tensors. Only free parameters
 * are stored, not those fixed by a structure. Each kind of stage defines its own
 * (transforms/stage-kind.ts).
 */
import { expected } from "../../errors.js";
import { stageParameters } from "../../transforms/parameters.js";
import type { StageDescription, TensorShapes } from "../../transforms/stage-kind.js";
import { kindNamed, kindOf, sampleKinds, stageKinds } from "../../transforms/stage-kinds.js";
import type { ImageStage } from "../../transforms/transform.js";
import { type JsonValue, isJsonObject } from "./json.js";
import { type StoredTensor, readValues } from "./read-safetensors.js";
import type { Tensor, TensorValues } from "./safetensors.js";

/** Returns the shapes of the tensors of a stage, by name. */
function shapesOf(stage: StageDescription, partition: TensorValues | null): TensorShapes {
  return kindNamed(stage.kind).shapes(stage, partition);
}

export function tensorName(stage: number, group: string): string {
  return `stages.${stage}.${group}`;
}

export function tensorNames(stage: StageDescription, index: number): readonly string[] {
  return Object.keys(shapesOf(stage, null)).map((group) => tensorName(index, group));
}

/** Returns the number of values of a sample, or of a location of a field. */
export function componentsOf(stage: StageDescription): number {
  return kindNamed(stage.kind).components(stage);
}

export function describeStage(stage: ImageStage): StageDescription {
  return kindOf(stage).describe(stage);
}

export function stageTensors(stage: ImageStage, index: number): readonly Tensor[] {
  const partition = stage.kind === "gdn" ? stage.partition : null;
  const groups: Record<string, TensorValues> = {
    ...stageParameters(stage),
    ...(partition && { partition }),
  };
  const shapes = shapesOf(describeStage(stage), partition);
  return Object.entries(shapes).map(([group, shape]) => ({
    name: tensorName(index, group),
    shape,
    values: groups[group],
  }));
}

/** Checks the description of a stage in a file. */
export function checkedDescription(value: JsonValue, ofImages: boolean): StageDescription {
  const name = "the description of the stage";
  if (!isJsonObject(value)) throw expected(name, "be a JSON object", value);
  // Only models of whole images have convolutions.
  const kinds = (ofImages ? stageKinds : sampleKinds).map(({ kind }) => kind);
  const kind = kinds.find((known) => known === value.kind);
  if (kind !== undefined) return kindNamed(kind).checkDescription(value, name);
  throw expected("its kind", `be one of ${kinds.join(", ")}`, value.kind);
}

/** Returns the input of the constructor of a stage; checks types and shapes before copying. */
export function stageRecord(
  stage: StageDescription,
  index: number,
  tensors: ReadonlyMap<string, StoredTensor>,
): Readonly<Record<string, unknown>> {
  const stored = Object.keys(shapesOf(stage, null)).map((group) => ({
    group,
    tensor: tensors.get(tensorName(index, group)) as StoredTensor,
  }));
  for (const { group, tensor } of stored) requireType(group, tensor);
  const ownPartition = stored.find(({ group }) => group === "partition");
  // It has one value per component; the shapes are checked below.
  const partition = ownPartition ? readValues(ownPartition.tensor) : null;
  const shapes = shapesOf(stage, partition);
  for (const { group, tensor } of stored) {
    const shape = shapes[group];
    if (String(tensor.shape) === String(shape)) continue;
    throw expected(group, `have the shape [${shape.join(", ")}]`, tensor.shape);
  }
  const values = stored.map(({ group, tensor }) => [group, readValues(tensor)] as const);
  // A description has a word instead of H.
  const described = Object.entries(stage).filter(([field]) => field !== "H");
  return Object.fromEntries<unknown>([...described, ...values]);
}

function requireType(group: string, { dtype }: StoredTensor): void {
  const isPartition = group === "partition";
  if ((dtype === "I32") === isPartition) return;
  throw expected(group, `have the dtype ${isPartition ? "I32" : "F16, F32 or F64"}`, dtype);
}
