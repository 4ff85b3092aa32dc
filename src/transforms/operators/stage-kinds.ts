/** The one place where a kind of transform is looked up. */
import type { Kernels } from "../../kernels/kernels.js";
import type { ParameterGroups, Stage } from "../transform.js";
import { affineKind } from "./affine-operator.js";
import { gdnKind } from "./gdn-operator.js";
import { linearKind } from "./linear-operator.js";
import type { LeafShape, StageKind, StageOperator } from "./operator.js";
import { pointwiseKind } from "./pointwise-operator.js";

const kinds: { readonly [K in Stage["kind"]]: StageKind<Extract<Stage, { kind: K }>> } = {
  gdn: gdnKind,
  linear: linearKind,
  affine: affineKind,
  pointwise: pointwiseKind,
};

/** What is known of the kind of a stage. */
export function kindOf(stage: Stage): StageKind<Stage> {
  return kinds[stage.kind];
}

/** A new operator with the parameters loaded. */
export function openOperator(kernels: Kernels, stage: Stage, leaves: LeafShape): StageOperator {
  const operator = kindOf(stage).open(kernels, stage, leaves);
  operator.load(stage);
  return operator;
}

/** Zeros for the sums of a stage, all groups in one buffer: what moves between threads should be few pieces. */
export function zeroSums(kernels: Kernels, stage: Stage): ParameterGroups {
  const lengths = Object.entries(kindOf(stage).sumLengths(stage));
  const all = kernels.floats(lengths.reduce((sum, [, length]) => sum + length, 0));
  let start = 0;
  return Object.fromEntries(
    lengths.map(([name, length]) => [name, all.subarray(start, (start += length))]),
  );
}
