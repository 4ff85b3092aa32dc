/** The border of the library: records that no constructor of this thread made are checked here. */
import { expected } from "../errors.js";
import { cascade } from "./cascade.js";
import { type Unchecked, isChecked } from "./checks.js";
import { kindNamed, sampleKinds } from "./stage-kinds.js";
import type { Stage, Transform } from "./transform.js";

const kinds: readonly string[] = [...sampleKinds.map(({ kind }) => kind), "cascade"];

/** A checked copy of any record of a transform; throws where a constructor would. */
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

/**
 * A record of a constructor as it is; of any other record a checked copy, so that nothing is
 * computed with what was not seen.
 */
export function requireChecked<T extends Transform>(transform: T): T {
  // Convolutions and cascades of images are checked records too, but no transforms of samples.
  const kind = (transform as Partial<Transform> | null | undefined)?.kind;
  if (kind !== undefined && kinds.includes(kind) && isChecked(transform)) return transform;
  return checkedTransform(transform) as T;
}
