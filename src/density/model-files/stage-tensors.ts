/**
 * The stages of a model file: what its JSON says of each, and the tensors it has. Shapes are those of the free parameters, for N
 * components and K subspaces; what a structure fixes is not stored.
 */
import { expected } from "../../errors.js";
import { checkDimension, checkFields } from "../../transforms/checks.js";
import { type GdnStructure, gdnStructures } from "../../transforms/gdn-structures.js";
import { stageParameters } from "../../transforms/parameters.js";
import type { Stage } from "../../transforms/transform.js";
import { type JsonValue, isJsonObject } from "./json.js";
import { type StoredTensor, readValues } from "./read-safetensors.js";
import type { Tensor, TensorValues } from "./safetensors.js";

/** What decides on the tensors of a stage. */
export type StageDescription =
  | {
      readonly kind: "gdn";
      readonly structure: GdnStructure;
      readonly dimension: number;
      /** Said in words, lest a file that lost its H is taken for one that has none. */
      readonly H: "matrix" | "identity";
    }
  | { readonly kind: Exclude<Stage["kind"], "gdn">; readonly dimension: number };

type Extent = "N" | "K" | 1;
type Shapes = Readonly<Record<string, readonly Extent[]>>;

const matrix: readonly Extent[] = ["N", "N"];
const each: readonly Extent[] = ["N"];
const subspaces: readonly Extent[] = ["K"];
const single: readonly Extent[] = [1];

const gdnShapes: Readonly<Record<GdnStructure, Shapes>> = {
  general: { alpha: matrix, beta: each, gamma: matrix, epsilon: each },
  column: { alpha: each, beta: each, gamma: matrix, epsilon: each },
  marginal: { alpha: each, beta: each, gamma: each, epsilon: each },
  radial: { beta: single, gamma: single, epsilon: single },
  lp: { alpha: single, beta: single, gamma: single, epsilon: single },
  subspace: { partition: each, beta: subspaces, gamma: subspaces, epsilon: subspaces },
  classic: { beta: single },
  "weighted-l2": { beta: single, gamma: each },
};
const otherShapes: Readonly<Record<Exclude<Stage["kind"], "gdn">, Shapes>> = {
  linear: { H: matrix },
  affine: { scale: each, shift: each },
  pointwise: { lower: single, upper: single, rate: single, asymmetry: single, center: single },
};
const kinds = ["gdn", ...Object.keys(otherShapes)];

/** The tensors of a stage by their names within it. */
function shapesOf(stage: StageDescription): Shapes {
  if (stage.kind !== "gdn") return otherShapes[stage.kind];
  const shapes = gdnShapes[stage.structure];
  return stage.H === "matrix" ? { H: matrix, ...shapes } : shapes;
}

export function tensorName(stage: number, group: string): string {
  return `stages.${stage}.${group}`;
}

export function tensorNames(stage: StageDescription, index: number): readonly string[] {
  return Object.keys(shapesOf(stage)).map((group) => tensorName(index, group));
}

export function describeStage(stage: Stage): StageDescription {
  const { kind, dimension } = stage;
  if (kind !== "gdn") return { kind, dimension };
  return { kind, structure: stage.structure, dimension, H: stage.H ? "matrix" : "identity" };
}

export function stageTensors(stage: Stage, index: number): readonly Tensor[] {
  const partition = stage.kind === "gdn" ? stage.partition : null;
  const groups: Record<string, TensorValues> = {
    ...stageParameters(stage),
    ...(partition && { partition }),
  };
  return Object.entries(shapesOf(describeStage(stage))).map(([group, shape]) => ({
    name: tensorName(index, group),
    shape: sizesOf(shape, stage.dimension, partition),
    values: groups[group],
  }));
}

function sizesOf(
  shape: readonly Extent[],
  dimension: number,
  partition: TensorValues | null,
): readonly number[] {
  const sizes = { N: dimension, K: new Set(partition).size, 1: 1 };
  return shape.map((extent) => sizes[extent]);
}

/** What a file says of a stage, checked. */
export function checkedDescription(value: JsonValue): StageDescription {
  const name = "the description of the stage";
  if (!isJsonObject(value)) throw expected(name, "be a JSON object", value);
  const { kind, structure, dimension, H } = value;
  if (typeof kind !== "string" || !kinds.includes(kind)) {
    throw expected("its kind", `be one of ${kinds.join(", ")}`, kind);
  }
  const isGdn = kind === "gdn";
  checkFields(name, value, ["kind", "dimension", ...(isGdn ? ["structure", "H"] : [])]);
  checkDimension(dimension as number);
  if (!isGdn) return value as unknown as StageDescription;
  if (!gdnStructures.includes(structure as GdnStructure)) {
    throw expected("structure", `be one of ${gdnStructures.join(", ")}`, structure);
  }
  if (H === "matrix" || H === "identity") return value as unknown as StageDescription;
  throw expected("H", 'be described as "matrix" or "identity"', H);
}

/** What the constructor of the stage takes; copied once every tensor is known to have the right type and shape. */
export function stageRecord(
  stage: StageDescription,
  index: number,
  tensors: ReadonlyMap<string, StoredTensor>,
): Readonly<Record<string, unknown>> {
  const stored = Object.entries(shapesOf(stage)).map(([group, shape]) => ({
    group,
    shape,
    tensor: tensors.get(tensorName(index, group)) as StoredTensor,
  }));
  for (const { group, tensor } of stored) requireType(group, tensor);
  const ownPartition = stored.find(({ group }) => group === "partition");
  // Each of its values is a component's; a longer one is refused below.
  const partition = ownPartition ? readValues(ownPartition.tensor) : null;
  for (const { group, shape, tensor } of stored) {
    const sizes = sizesOf(shape, stage.dimension, partition);
    if (String(tensor.shape) === String(sizes)) continue;
    throw expected(group, `have the shape [${sizes.join(", ")}]`, tensor.shape);
  }
  const values = stored.map(({ group, tensor }) => [group, readValues(tensor)] as const);
  const { kind, dimension } = stage;
  const structure = kind === "gdn" ? { structure: stage.structure } : {};
  return { kind, dimension, ...structure, ...Object.fromEntries(values) };
}

function requireType(group: string, { dtype }: StoredTensor): void {
  const isPartition = group === "partition";
  if ((dtype === "I32") === isPartition) return;
  throw expected(group, `have the dtype ${isPartition ? "I32" : "F32 or F64"}`, dtype);
}
