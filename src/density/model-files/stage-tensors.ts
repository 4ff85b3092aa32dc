/**
 * The stages of a model file: what its JSON says of each, and the tensors it has. Shapes are those of the free parameters, for N
 * components and K subspaces; what a structure fixes is not stored. A convolution of C maps has H×W taps (transforms/convolution.ts).
 */
import { expected } from "../../errors.js";
import { checkDimension, checkFields } from "../../transforms/checks.js";
import { type Taps, checkedTaps } from "../../transforms/convolution.js";
import { type GdnStructure, gdnStructures } from "../../transforms/gdn-structures.js";
import { checkRank } from "../../transforms/gdn.js";
import type { ImageStage } from "../../transforms/image-cascade.js";
import { stageParameters } from "../../transforms/parameters.js";
import { type JsonObject, type JsonValue, isJsonObject } from "./json.js";
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
      /** R of the structure "low-rank". */
      readonly rank?: number;
    }
  | { readonly kind: "convolution"; readonly maps: number; readonly taps: Taps }
  | { readonly kind: OtherKind; readonly dimension: number };

type OtherKind = Exclude<ImageStage["kind"], "gdn" | "convolution">;
type Extent = "N" | "K" | "2R+1" | "height" | "width" | 1;
type Shapes = Readonly<Record<string, readonly Extent[]>>;

const matrix: readonly Extent[] = ["N", "N"];
const each: readonly Extent[] = ["N"];
const subspaces: readonly Extent[] = ["K"];
const single: readonly Extent[] = [1];
const perTap: readonly Extent[] = ["height", "width", "N", "N"];

const gdnShapes: Readonly<Record<GdnStructure, Shapes>> = {
  general: { alpha: matrix, beta: each, gamma: matrix, epsilon: each },
  column: { alpha: each, beta: each, gamma: matrix, epsilon: each },
  marginal: { alpha: each, beta: each, gamma: each, epsilon: each },
  radial: { beta: single, gamma: single, epsilon: single },
  lp: { alpha: single, beta: single, gamma: single, epsilon: single },
  subspace: { partition: each, beta: subspaces, gamma: subspaces, epsilon: subspaces },
  classic: { beta: single },
  "weighted-l2": { beta: single, gamma: each },
  // g, then the columns of U, then those of V.
  "low-rank": { alpha: each, beta: each, gamma: ["2R+1", "N"], epsilon: each },
};
const otherShapes: Readonly<Record<Exclude<ImageStage["kind"], "gdn">, Shapes>> = {
  linear: { H: matrix },
  affine: { scale: each, shift: each },
  pointwise: { lower: single, upper: single, rate: single, asymmetry: single, center: single },
  convolution: { weights: perTap },
};
const imageKinds = ["gdn", ...Object.keys(otherShapes)];
/** A convolution has locations to mix in whole images only. */
const patchKinds = imageKinds.filter((kind) => kind !== "convolution");

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

/** The values of a sample, or of a location of a field. */
export function componentsOf(stage: StageDescription): number {
  return stage.kind === "convolution" ? stage.maps : stage.dimension;
}

export function describeStage(stage: ImageStage): StageDescription {
  if (stage.kind === "convolution") {
    const { kind, maps, taps } = stage;
    return { kind, maps, taps };
  }
  const { kind, dimension } = stage;
  if (kind !== "gdn") return { kind, dimension };
  const { structure, rank } = stage;
  const H = stage.H ? "matrix" : "identity";
  return { kind, structure, dimension, H, ...(rank !== undefined && { rank }) };
}

export function stageTensors(stage: ImageStage, index: number): readonly Tensor[] {
  const partition = stage.kind === "gdn" ? stage.partition : null;
  const groups: Record<string, TensorValues> = {
    ...stageParameters(stage),
    ...(partition && { partition }),
  };
  const described = describeStage(stage);
  return Object.entries(shapesOf(described)).map(([group, shape]) => ({
    name: tensorName(index, group),
    shape: sizesOf(shape, described, partition),
    values: groups[group],
  }));
}

function sizesOf(
  shape: readonly Extent[],
  stage: StageDescription,
  partition: TensorValues | null,
): readonly number[] {
  const { height, width } = stage.kind === "convolution" ? stage.taps : { height: 1, width: 1 };
  const { rank = 0 } = stage.kind === "gdn" ? stage : {};
  const subspaces = new Set(partition).size;
  const sizes = { N: componentsOf(stage), K: subspaces, "2R+1": 2 * rank + 1, height, width, 1: 1 };
  return shape.map((extent) => sizes[extent]);
}

/** What a file says of a stage, of whole images or of patches, checked. */
export function checkedDescription(value: JsonValue, ofImages: boolean): StageDescription {
  const name = "the description of the stage";
  if (!isJsonObject(value)) throw expected(name, "be a JSON object", value);
  const { kind, dimension, H } = value;
  const kinds = ofImages ? imageKinds : patchKinds;
  if (typeof kind !== "string" || !kinds.includes(kind)) {
    throw expected("its kind", `be one of ${kinds.join(", ")}`, kind);
  }
  if (kind === "convolution") return checkedConvolution(value, name);
  const isGdn = kind === "gdn";
  checkFields(name, value, ["kind", "dimension", ...(isGdn ? ["structure", "H", "rank"] : [])]);
  checkDimension(dimension as number);
  if (!isGdn) return value as unknown as StageDescription;
  const { structure, rank } = value;
  if (!gdnStructures.includes(structure as GdnStructure)) {
    throw expected("structure", `be one of ${gdnStructures.join(", ")}`, structure);
  }
  checkRank({
    structure: structure as GdnStructure,
    ...(rank !== undefined && { rank: rank as number }),
  });
  if (H === "matrix" || H === "identity") return value as unknown as StageDescription;
  throw expected("H", 'be described as "matrix" or "identity"', H);
}

function checkedConvolution(value: JsonObject, name: string): StageDescription {
  checkFields(name, value, ["kind", "maps", "taps"]);
  const maps = value.maps as number;
  checkDimension(maps, "maps");
  return { kind: "convolution", maps, taps: checkedTaps(value.taps as unknown as Taps) };
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
    const sizes = sizesOf(shape, stage, partition);
    if (String(tensor.shape) === String(sizes)) continue;
    throw expected(group, `have the shape [${sizes.join(", ")}]`, tensor.shape);
  }
  const values = stored.map(({ group, tensor }) => [group, readValues(tensor)] as const);
  const arrays = Object.fromEntries(values);
  if (stage.kind !== "gdn") return { ...stage, ...arrays };
  const { kind, dimension, structure, rank } = stage;
  return { kind, dimension, structure, ...(rank !== undefined && { rank }), ...arrays };
}

function requireType(group: string, { dtype }: StoredTensor): void {
  const isPartition = group === "partition";
  if ((dtype === "I32") === isPartition) return;
  throw expected(group, `have the dtype ${isPartition ? "I32" : "F16, F32 or F64"}`, dtype);
}
