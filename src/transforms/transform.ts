/**
 * Invertible transforms as plain records: they go through structured clone to workers as they are.
 *
 *   gdn.ts, linear.ts, affine.ts, pointwise.ts, cascade.ts  make checked records;
 *   stage-kinds.ts                                          finds everything about a kind of stage;
 *   parameters.ts                                           lists parameters;
 *   checked-transform.ts                                    checks records of other origin.
 */
import type { Checked } from "./checks.js";
import type { Stage } from "./stage-kinds.js";

export type { ParameterGroups } from "./stage-kind.js";
export type { ImageStage, Stage } from "./stage-kinds.js";

export interface Cascade extends Checked {
  readonly kind: "cascade";
  readonly dimension: number;
  readonly stages: readonly Stage[];
}

export type Transform = Stage | Cascade;
