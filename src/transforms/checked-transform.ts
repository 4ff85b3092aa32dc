/** Checks of records that no constructor of this thread made. */
import { expected } from "../errors.js";
import { cascade } from "./cascade.js";
import { type Unchecked, isChecked } from "./checks.js";
import { kindNamed, sampleKinds } from "./stage-kinds.js";
import type { Stage, Transform } from "./transform.js";

const kinds: readonly string[] = [...sampleKinds.map(({ kind }) => kind), "cascade"];

/** Returns a checked copy of a record; throws like its constructor. */
export function checkedTransform(record: Unchecked<Transform>): Transform {
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
  return kindNamed(record.kind).make(record as never) as Stage;
}

/** Returns a checked record itself, or a checked copy of any other record. */
export function requireChecked<T extends Transform>(transform: T): T {
  // Convolutions and image cascades are checked records too, but not transforms of samples.
  const kind = (transform as Partial<Transform> | null | undefined)?.kind;
  if (kind !== undefined && kinds.includes(kind) && isChecked(transform)) return transform;
  return checkedTransform(transform) as T;
}
