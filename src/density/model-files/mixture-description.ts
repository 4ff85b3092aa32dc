/**
 * The structure of a mixture in a model file, as JSON:
 *
 *   {"kind":"mixture","components":[…]}     its weights are the tensor mixtures.M.weights
 *   {"kind":"symmetric-mixture","side":8,"removeMean":true,"density":…}
 *
 * Components are transforms or mixtures. Stages and mixtures are numbered through the whole file,
 * depth first; a mixture comes before its components.
 */
import { expected } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { cascade } from "../../transforms/cascade.js";
import { checkFields } from "../../transforms/checks.js";
import type { StageDescription } from "../../transforms/stage-kind.js";
import type { Transform } from "../../transforms/transform.js";
import {
  type AnyMixture,
  type MixtureComponent,
  isMixture,
  mixture,
  symmetricMixture,
  deepest,
} from "../mixtures/mixture.js";
import { type JsonObject, type JsonValue, isJsonObject } from "./json.js";
import { type StoredTensor, readValues } from "./read-safetensors.js";
import type { Tensor } from "./safetensors.js";

export type TransformOutline =
  /** Consecutive stages of the file. */
  | {
      readonly kind: "transform";
      readonly isCascade: boolean;
      readonly first: number;
      readonly stages: readonly JsonValue[];
    }
  | {
      readonly kind: "mixture";
      readonly index: number;
      readonly components: readonly TransformOutline[];
    }
  | {
      readonly kind: "symmetric-mixture";
      readonly side: number;
      readonly removeMean: boolean;
      readonly density: TransformOutline;
    };

export function isMixtureKind(kind: JsonValue | undefined): boolean {
  return kind === "mixture" || kind === "symmetric-mixture";
}

/** Describes a transform or a mixture; `stages` are the descriptions of all its stages. */
export function describeComponent(component: MixtureComponent, stages: StageDescription[]): object {
  const { kind } = component;
  if (kind === "mixture") {
    return { kind, components: component.components.map((c) => describeComponent(c, stages)) };
  }
  if (kind === "symmetric-mixture") {
    const { side, removeMean, density } = component;
    return { kind, side, removeMean, density: describeComponent(density, stages) };
  }
  if (kind === "cascade") return { kind, stages: stages.splice(0, component.stages.length) };
  return stages.splice(0, 1)[0];
}

/** Returns the weights of all mixtures, in the order of the file. */
export function weightTensors(component: MixtureComponent): readonly Tensor[] {
  return mixturesIn(component).flatMap((inner, index) =>
    inner.kind === "mixture"
      ? [{ name: weightsName(index), shape: [inner.weights.length], values: inner.weights }]
      : [],
  );
}

function mixturesIn(component: MixtureComponent): readonly AnyMixture[] {
  if (!isMixture(component)) return [];
  const inner = component.kind === "mixture" ? component.components : [component.density];
  return [component, ...inner.flatMap(mixturesIn)];
}

function weightsName(index: number): string {
  return `mixtures.${index}.weights`;
}

/** Reads the structure of an untrusted description; the stages are not checked yet. */
export class OutlineReader {
  private stages = 0;
  private mixtures = 0;

  constructor(private readonly stagesOf: (cascade: JsonObject) => readonly JsonValue[]) {}

  read(value: JsonValue, name: string, level = 0): TransformOutline {
    if (!isJsonObject(value)) throw expected(name, "be a JSON object", value);
    if (level >= deepest && isMixtureKind(value.kind)) {
      throw expected("a mixture", `be nested at most ${deepest} deep`, level + 1);
    }
    if (value.kind === "mixture") return this.readMixture(value, name, level);
    if (value.kind === "symmetric-mixture") return this.readSymmetric(value, name, level);
    const isCascade = value.kind === "cascade";
    if (isCascade) checkFields(name, value, ["kind", "stages"]);
    const stages = isCascade ? this.stagesOf(value) : [value];
    const first = this.stages;
    this.stages += stages.length;
    return { kind: "transform", isCascade, first, stages };
  }

  private readMixture(value: JsonObject, name: string, level: number): TransformOutline {
    checkFields(name, value, ["kind", "components"]);
    const { components } = value;
    if (!Array.isArray(components) || components.length === 0) {
      throw expected(`the components of ${name}`, "be a list of at least one", components);
    }
    const index = this.mixtures++;
    return {
      kind: "mixture",
      index,
      components: (components as readonly JsonValue[]).map((inner, k) =>
        this.read(inner, `${name}.components[${k}]`, level + 1),
      ),
    };
  }

  private readSymmetric(value: JsonObject, name: string, level: number): TransformOutline {
    checkFields(name, value, ["kind", "side", "removeMean", "density"]);
    const { side, removeMean, density = null } = value;
    if (typeof removeMean !== "boolean") {
      throw expected(`${name}.removeMean`, "be true or false", removeMean);
    }
    this.mixtures++;
    return {
      kind: "symmetric-mixture",
      // The constructor checks that the dimension fits.
      side: side as number,
      removeMean,
      density: this.read(density, `${name}.density`, level + 1),
    };
  }
}

/** Returns the transforms of an outline, in the order of the file. */
export function transformsIn(
  outline: TransformOutline,
): readonly Extract<TransformOutline, { kind: "transform" }>[] {
  if (outline.kind === "transform") return [outline];
  const inner = outline.kind === "mixture" ? outline.components : [outline.density];
  return inner.flatMap(transformsIn);
}

/** Returns the names of the tensors with weights. */
export function weightNames(outline: TransformOutline): readonly string[] {
  if (outline.kind === "transform") return [];
  if (outline.kind === "symmetric-mixture") return weightNames(outline.density);
  return [weightsName(outline.index), ...outline.components.flatMap(weightNames)];
}

/** Makes the transform or the mixture, given all stages and tensors of the file. */
export function builtFrom(
  outline: TransformOutline,
  stages: readonly Transform[],
  tensors: ReadonlyMap<string, StoredTensor>,
): MixtureComponent {
  if (outline.kind === "transform") {
    const own = stages.slice(outline.first, outline.first + outline.stages.length);
    return outline.isCascade ? cascade(own) : own[0];
  }
  if (outline.kind === "symmetric-mixture") {
    const { side, removeMean } = outline;
    return symmetricMixture({
      side,
      removeMean,
      density: builtFrom(outline.density, stages, tensors),
    });
  }
  const components = outline.components.map((inner) => builtFrom(inner, stages, tensors));
  const name = weightsName(outline.index);
  const weights = readWeights(name, tensors.get(name) as StoredTensor, components.length);
  return mixture({ components, weights });
}

function readWeights(name: string, tensor: StoredTensor, length: number): FloatArray {
  const { dtype, shape } = tensor;
  if (dtype !== "F32" && dtype !== "F64") throw expected(name, "have the dtype F32 or F64", dtype);
  if (String(shape) !== String(length)) throw expected(name, `have the shape [${length}]`, shape);
  return readValues(tensor) as FloatArray;
}
