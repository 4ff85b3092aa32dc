/**
 * Invertible transforms as plain records, which structured clone can send to workers.
 *
 *   gdn.ts, linear.ts, affine.ts, pointwise.ts, cascade.ts  make checked records;
 *   stage-kinds.ts                                          lists the kinds of stages;
 *   parameters.ts                                           lists parameters;
 *   checked-transform.ts                                    checks other records.
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
