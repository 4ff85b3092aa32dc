/**
 * Invertible transforms as plain records: they go through structured clone to workers as they are. Functions over them
 * are found by their kind:
 *
 *   gdn.ts, linear.ts, affine.ts, pointwise.ts, cascade.ts  make checked records;
 *   parameters.ts                                           lists their parameters;
 *   operators/                                              compute with them, batch by batch.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { type Affine, affine } from "./affine.js";
import { isChecked } from "./checks.js";
import { cascade } from "./cascade.js";
import { type Gdn, gdn } from "./gdn.js";
import { type Linear, linear } from "./linear.js";
import { type Pointwise, pointwise } from "./pointwise.js";

/** A transform that is not made of others. */
export type Stage = Gdn | Linear | Affine | Pointwise;

export interface Cascade {
  readonly kind: "cascade";
  readonly dimension: number;
  readonly stages: readonly Stage[];
}

export type Transform = Stage | Cascade;

/** Arrays by the names of the parameters; a gradient has the same names and lengths. */
export type ParameterGroups = Readonly<Record<string, FloatArray>>;

const makers: Readonly<Record<Stage["kind"], (record: never) => Stage>> = {
  gdn,
  linear,
  affine,
  pointwise,
};
const kinds = [...Object.keys(makers), "cascade"];

/** A checked copy of any record of a transform; throws where a constructor would. */
export function checkedTransform(record: Transform): Transform {
  const kind = (record as Partial<Transform> | null | undefined)?.kind;
  if (typeof record === "object" && (record as object | null) !== null && "transform" in record) {
    throw expected("a transform", "be given (of a model: its .transform)", "a model");
  }
  if (kind === undefined || !kinds.includes(kind)) {
    throw expected("the kind of a transform", `be one of ${kinds.join(", ")}`, kind);
  }
  if (record.kind === "cascade") {
    const { stages, dimension } = record;
    if (!Array.isArray(stages)) throw expected("the stages of a cascade", "be a list", stages);
    const checked = cascade(stages.map((stage: Transform) => checkedTransform(stage)));
    if (dimension === checked.dimension) return checked;
    const rule = `be that of its stages, ${checked.dimension}`;
    throw expected("the dimension of a cascade", rule, dimension);
  }
  return makers[record.kind](record as never);
}

/** A record of a constructor as it is; of any other record a checked copy, so that nothing is computed with what was not seen. */
export function requireChecked<T extends Transform>(transform: T): T {
  // Convolutions and cascades of images are checked records too, but no transforms of samples.
  const kind = (transform as Partial<Transform> | null | undefined)?.kind;
  if (kind !== undefined && kinds.includes(kind) && isChecked(transform)) return transform;
  return checkedTransform(transform) as T;
}
